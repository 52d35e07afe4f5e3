//! A printer of trees as C with all parentheses and braces written out: it shows the structure in tests, and what it
//! writes can be read again.

use super::super::ast::*;
use std::fmt::Write;

/// The whole tree as C.
pub fn print(tree: &Tree, text: &[u8]) -> String {
    let p = Printer { tree, text, packs: text.windows(6).any(|w| w == b"pragma") };
    tree.items.iter().map(|item| p.item(item) + "\n").collect()
}

struct Printer<'a> {
    tree: &'a Tree,
    text: &'a [u8],
    /// Is the packing written into every record?
    packs: bool,
}

impl Printer<'_> {
    fn item(&self, item: &Item) -> String {
        match item {
            Item::Declaration(d) => self.declaration(d),
            Item::Function(f) => self.function(f),
            Item::StaticAssert(a) => self.static_assert(a),
            Item::Asm(a) => self.asm(a) + ";",
        }
    }

    fn declaration(&self, d: &Declaration) -> String {
        let declarators: Vec<String> = d.declarators.iter().map(|i| self.init_declarator(i)).collect();
        let head = self.specifiers(&d.specifiers);
        if declarators.is_empty() {
            return format!("{head};");
        }
        format!("{head} {};", declarators.join(", ")).trim_start().to_owned()
    }

    fn init_declarator(&self, i: &InitDeclarator) -> String {
        let mut out = self.declarator(&i.declarator);
        if let Some(label) = &i.asm_label {
            let _ = write!(out, " asm(\"{label}\")");
        }
        out += &self.attributes(&i.declarator.attributes);
        if let Some(initializer) = &i.initializer {
            let _ = write!(out, " = {}", self.initializer(initializer));
        }
        out
    }

    fn function(&self, f: &FunctionDefinition) -> String {
        let attributes = self.attributes(&f.declarator.attributes);
        let head = self.specifiers(&f.specifiers);
        let old: String = f.old_style.iter().map(|d| self.declaration(d) + " ").collect();
        let name = self.declarator(&f.declarator);
        let all = format!("{attributes} {head} {name} {old}{}", self.stmt(f.body));
        all.trim_start().to_owned()
    }

    fn static_assert(&self, a: &StaticAssert) -> String {
        let message = a.message.as_ref().map_or(String::new(), |m| format!(", {}", string(m)));
        format!("_Static_assert({}{message});", self.expr(a.condition))
    }

    fn specifiers(&self, s: &Specifiers) -> String {
        let mut words: Vec<String> = Vec::new();
        let attributes = self.attributes(&s.attributes);
        if !attributes.is_empty() {
            words.push(attributes.trim().to_owned());
        }
        let st = s.storage;
        for (flag, word) in [
            (st.is_typedef, "typedef"),
            (st.is_extern, "extern"),
            (st.is_static, "static"),
            (st.is_auto, "auto"),
            (st.is_register, "register"),
            (st.is_thread_local, "_Thread_local"),
            (s.is_inline, "inline"),
            (s.is_noreturn, "_Noreturn"),
        ] {
            if flag {
                words.push(word.into());
            }
        }
        for a in &s.alignas {
            words.push(match a {
                Alignas::Expr(e) => format!("_Alignas({})", self.expr(*e)),
                Alignas::Type(t) => format!("_Alignas({})", self.type_name(t)),
            });
        }
        let qualifiers = qualifiers(s.qualifiers);
        if !qualifiers.is_empty() {
            words.push(qualifiers.trim().to_owned());
        }
        let ty = self.type_specifier(&s.ty);
        if !ty.is_empty() {
            words.push(ty);
        }
        words.join(" ")
    }

    fn type_specifier(&self, ty: &TypeSpecifier) -> String {
        match ty {
            TypeSpecifier::Implicit => String::new(),
            TypeSpecifier::Basic(b, complex) => {
                format!("{}{}", if *complex { "_Complex " } else { "" }, basic(*b))
            }
            TypeSpecifier::Record(r) => self.record(r),
            TypeSpecifier::Enum(e) => self.enumeration(e),
            TypeSpecifier::Typedef(name) => name.to_string(),
            TypeSpecifier::TypeofExpr(e, false) => format!("typeof({})", self.expr(*e)),
            TypeSpecifier::TypeofExpr(e, true) => format!("typeof_unqual({})", self.expr(*e)),
            TypeSpecifier::TypeofType(t, false) => format!("typeof({})", self.type_name(t)),
            TypeSpecifier::TypeofType(t, true) => format!("typeof_unqual({})", self.type_name(t)),
            TypeSpecifier::Atomic(t) => format!("_Atomic({})", self.type_name(t)),
            TypeSpecifier::Auto => "__auto_type".into(),
            TypeSpecifier::VaList => "__builtin_va_list".into(),
            TypeSpecifier::Error => "<error>".into(),
        }
    }

    fn record(&self, r: &RecordSpecifier) -> String {
        let mut out = String::from(if r.is_union { "union" } else { "struct" });
        if let Some(tag) = &r.tag {
            let _ = write!(out, " {}", tag.name);
        }
        if let Some(members) = &r.members {
            let lines: String = members.iter().map(|m| self.member_line(m) + " ").collect();
            let pack = match r.pack {
                _ if !self.packs => String::new(),
                Some(n) => format!("\n#pragma pack({n})\n"),
                None => "\n#pragma pack()\n".into(),
            };
            let _ = write!(out, " {{ {lines}{pack}}}");
        }
        out + &self.attributes(&r.attributes)
    }

    fn member_line(&self, m: &MemberDeclaration) -> String {
        match m {
            MemberDeclaration::StaticAssert(a) => self.static_assert(a),
            MemberDeclaration::Members(s, list) => {
                let list: Vec<String> = list
                    .iter()
                    .map(|m| {
                        let width = m.width.map_or(String::new(), |w| format!(" : {}", self.expr(w)));
                        self.declarator(&m.declarator) + &width + &self.attributes(&m.declarator.attributes)
                    })
                    .collect();
                let head = self.specifiers(s);
                if list.is_empty() { format!("{head};") } else { format!("{head} {};", list.join(", ")) }
            }
        }
    }

    fn enumeration(&self, e: &EnumSpecifier) -> String {
        let mut out = String::from("enum");
        if let Some(tag) = &e.tag {
            let _ = write!(out, " {}", tag.name);
        }
        if let Some(ty) = &e.underlying {
            let _ = write!(out, " : {}", self.type_name(ty));
        }
        if let Some(constants) = &e.constants {
            let list: Vec<String> = constants
                .iter()
                .map(|c| {
                    let value = c.value.map_or(String::new(), |v| format!(" = {}", self.expr(v)));
                    format!("{}{}{value}", c.ident.name, self.attributes(&c.attributes))
                })
                .collect();
            let _ = write!(out, " {{ {} }}", list.join(", "));
        }
        out + &self.attributes(&e.attributes)
    }

    /// The declarator without the attributes after it.
    fn declarator(&self, d: &Declarator) -> String {
        let mut out = d.ident.as_ref().map_or(String::new(), |i| i.name.to_string());
        let mut was_pointer = false;
        for derived in &d.derived {
            match derived {
                Derived::Pointer(q, attributes) => {
                    let rest = qualifiers(*q) + &self.attributes(attributes);
                    out = if rest.is_empty() { format!("*{out}") } else { format!("*{rest} {out}") };
                    was_pointer = true;
                    continue;
                }
                _ if was_pointer => out = format!("({out})"),
                _ => {}
            }
            was_pointer = false;
            match derived {
                Derived::Array(a) => {
                    let length = match a.length {
                        ArrayLength::None => String::new(),
                        ArrayLength::Star => "*".into(),
                        ArrayLength::Expr(e) => self.expr(e),
                    };
                    let is_static = if a.is_static { "static " } else { "" };
                    let inside = format!("{} {is_static}{length}", qualifiers(a.qualifiers));
                    let _ = write!(out, "[{}]", inside.trim());
                }
                Derived::Function(f) => {
                    let _ = write!(out, "({})", self.parameters(&f.parameters));
                }
                Derived::Pointer(..) => {}
            }
        }
        out
    }

    fn parameters(&self, p: &Parameters) -> String {
        match p {
            Parameters::Unspecified => String::new(),
            Parameters::Identifiers(names) => {
                names.iter().map(|n| n.name.to_string()).collect::<Vec<_>>().join(", ")
            }
            Parameters::Prototype(list, variadic) => {
                let mut list: Vec<String> = list
                    .iter()
                    .map(|p| {
                        let d = self.declarator(&p.declarator);
                        let head = self.specifiers(&p.specifiers);
                        let all = format!("{head} {d}{}", self.attributes(&p.declarator.attributes));
                        all.trim().to_owned()
                    })
                    .collect();
                if list.is_empty() && !variadic {
                    return "void".into();
                }
                if *variadic {
                    list.push("...".into());
                }
                list.join(", ")
            }
        }
    }

    fn type_name(&self, t: &TypeName) -> String {
        let all = format!(
            "{} {} {}",
            self.attributes(&t.declarator.attributes),
            self.specifiers(&t.specifiers),
            self.declarator(&t.declarator)
        );
        all.trim().to_owned()
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let mut out = String::new();
        for a in attributes {
            let arguments: Vec<String> = a
                .arguments
                .iter()
                .map(|a| match a {
                    AttributeArgument::Expr(e) => self.expr(*e),
                    AttributeArgument::Type(t) => self.type_name(t),
                    AttributeArgument::Other(span) => {
                        let bytes = self.text.get(span.start as usize..span.end as usize).unwrap_or(b"?");
                        String::from_utf8_lossy(bytes).into_owned()
                    }
                })
                .collect();
            let arguments =
                if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
            let _ = write!(out, " __attribute__(({}{arguments}))", a.name);
        }
        out
    }

    fn initializer(&self, i: &Initializer) -> String {
        match i {
            Initializer::Expr(e) => self.expr(*e),
            Initializer::List(items, _) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|i| {
                        let path: String = i.designators.iter().map(|d| self.designator(d)).collect();
                        let eq = if path.is_empty() { "" } else { " = " };
                        path + eq + &self.initializer(&i.value)
                    })
                    .collect();
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    fn designator(&self, d: &Designator) -> String {
        match d {
            Designator::Index(e) => format!("[{}]", self.expr(*e)),
            Designator::Range(a, b) => format!("[{} ... {}]", self.expr(*a), self.expr(*b)),
            Designator::Member(m) => format!(".{}", m.name),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        let e = |id: ExprId| self.expr(id);
        match &self.tree.exprs[id].kind {
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Integer(i) => {
                let value =
                    if i.decimal || i.value == 0 { i.value.to_string() } else { format!("{:#x}", i.value) };
                let longs = ["", "l", "ll"][i.longs as usize];
                format!(
                    "{value}{}{longs}{}",
                    if i.unsigned { "u" } else { "" },
                    if i.imaginary { "i" } else { "" }
                )
            }
            ExprKind::Floating(f) => {
                let suffix = match f.suffix {
                    FloatingSuffix::None => "",
                    FloatingSuffix::F => "f",
                    FloatingSuffix::L => "l",
                    FloatingSuffix::Q => "q",
                    FloatingSuffix::W => "w",
                    FloatingSuffix::F16 => "f16",
                    FloatingSuffix::F32 => "f32",
                    FloatingSuffix::F64 => "f64",
                    FloatingSuffix::F32x => "f32x",
                    FloatingSuffix::Decimal => "dd",
                };
                format!("{}{suffix}{}", f.text, if f.imaginary { "i" } else { "" })
            }
            ExprKind::Character(c) => {
                format!("{}'{}'", prefix(c.encoding), units(&c.units, c.encoding, '\''))
            }
            ExprKind::String(s) => string(s),
            ExprKind::Parenthesised(s) => format!("({})", e(*s)),
            ExprKind::Unary(op, a) => {
                let a = e(*a);
                match op {
                    UnaryOp::Plus => format!("(+{a})"),
                    UnaryOp::Minus => format!("(-{a})"),
                    UnaryOp::Complement => format!("(~{a})"),
                    UnaryOp::Not => format!("(!{a})"),
                    UnaryOp::Deref => format!("(*{a})"),
                    UnaryOp::Address => format!("(&{a})"),
                    UnaryOp::PreIncrement => format!("(++{a})"),
                    UnaryOp::PreDecrement => format!("(--{a})"),
                    UnaryOp::PostIncrement => format!("({a}++)"),
                    UnaryOp::PostDecrement => format!("({a}--)"),
                    UnaryOp::Real => format!("(__real__ {a})"),
                    UnaryOp::Imag => format!("(__imag__ {a})"),
                }
            }
            ExprKind::Binary(op, a, b) => format!("({} {} {})", e(*a), binary(*op), e(*b)),
            ExprKind::Assign(op, a, b) => format!("({} {}= {})", e(*a), op.map_or("", binary), e(*b)),
            ExprKind::Conditional(a, Some(b), c) => format!("({} ? {} : {})", e(*a), e(*b), e(*c)),
            ExprKind::Conditional(a, None, c) => format!("({} ?: {})", e(*a), e(*c)),
            ExprKind::Comma(a, b) => format!("({}, {})", e(*a), e(*b)),
            ExprKind::Cast(t, a) => format!("(({}){})", self.type_name(t), e(*a)),
            ExprKind::CompoundLiteral(t, i) => format!("({}){}", self.type_name(t), self.initializer(i)),
            ExprKind::SizeofExpr(a) => format!("(sizeof {})", e(*a)),
            ExprKind::SizeofType(t) => format!("sizeof({})", self.type_name(t)),
            ExprKind::AlignofExpr(a) => format!("(__alignof__ {})", e(*a)),
            ExprKind::AlignofType(t) => format!("_Alignof({})", self.type_name(t)),
            ExprKind::Index(a, b) => format!("{}[{}]", e(*a), e(*b)),
            ExprKind::Call(f, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|a| e(*a)).collect();
                format!("{}({})", e(*f), arguments.join(", "))
            }
            ExprKind::Member(a, m, arrow) => {
                format!("{}{}{}", e(*a), if *arrow { "->" } else { "." }, m.name)
            }
            ExprKind::Generic(control, choices) => {
                let control = match control {
                    GenericControl::Expr(c) => e(*c),
                    GenericControl::Type(t) => self.type_name(t),
                };
                let choices: String = choices
                    .iter()
                    .map(|(t, v)| {
                        let ty = t.as_ref().map_or("default".into(), |t| self.type_name(t));
                        format!(", {ty}: {}", e(*v))
                    })
                    .collect();
                format!("_Generic({control}{choices})")
            }
            ExprKind::Statement(s) => format!("({})", self.stmt(*s)),
            ExprKind::LabelAddress(l) => format!("(&&{})", l.name),
            ExprKind::VaArg(a, t) => format!("__builtin_va_arg({}, {})", e(*a), self.type_name(t)),
            ExprKind::Offsetof(t, path) => {
                let path: String = path.iter().map(|d| self.designator(d)).collect();
                format!("__builtin_offsetof({}, {})", self.type_name(t), path.trim_start_matches('.'))
            }
            ExprKind::TypesCompatible(a, b) => {
                format!("__builtin_types_compatible_p({}, {})", self.type_name(a), self.type_name(b))
            }
            ExprKind::ConvertVector(a, t) => {
                format!("__builtin_convertvector({}, {})", e(*a), self.type_name(t))
            }
            ExprKind::BitCast(t, a) => format!("__builtin_bit_cast({}, {})", self.type_name(t), e(*a)),
            ExprKind::Error => "<error>".into(),
        }
    }

    fn stmt(&self, id: StmtId) -> String {
        let e = |id: ExprId| self.expr(id);
        let s = |id: StmtId| self.stmt(id);
        match &self.tree.stmts[id].kind {
            StmtKind::Empty(attributes) => format!("{};", self.attributes(attributes).trim_start()),
            StmtKind::Expr(a) => format!("{};", e(*a)),
            StmtKind::Compound(items) => {
                let items: String = items.iter().map(|i| self.block_item(i) + " ").collect();
                format!("{{ {items}}}")
            }
            StmtKind::If(c, a, None) => format!("if ({}) {}", e(*c), self.braced(*a)),
            StmtKind::If(c, a, Some(b)) => {
                format!("if ({}) {} else {}", e(*c), self.braced(*a), self.braced(*b))
            }
            StmtKind::Switch(c, a) => format!("switch ({}) {}", e(*c), s(*a)),
            StmtKind::While(c, a) => format!("while ({}) {}", e(*c), s(*a)),
            StmtKind::DoWhile(a, c) => format!("do {} while ({});", s(*a), e(*c)),
            StmtKind::For(f) => {
                let init = match &f.init {
                    ForInit::None => ";".into(),
                    ForInit::Expr(a) => format!("{};", e(*a)),
                    ForInit::Declaration(d) => self.declaration(d),
                };
                let part = |p: Option<ExprId>| p.map_or(String::new(), |p| format!(" {}", e(p)));
                format!("for ({init}{};{}) {}", part(f.condition), part(f.step), s(f.body))
            }
            StmtKind::Case(a, None) => format!("case {}:", e(*a)),
            StmtKind::Case(a, Some(b)) => format!("case {} ... {}:", e(*a), e(*b)),
            StmtKind::Default => "default:".into(),
            StmtKind::Label(l, attributes) => format!("{}:{}", l.name, self.attributes(attributes)),
            StmtKind::Goto(l) => format!("goto {};", l.name),
            StmtKind::GotoComputed(a) => format!("goto *{};", e(*a)),
            StmtKind::Continue => "continue;".into(),
            StmtKind::Break => "break;".into(),
            StmtKind::Return(None) => "return;".into(),
            StmtKind::Return(Some(a)) => format!("return {};", e(*a)),
            StmtKind::Asm(a) => self.asm(a) + ";",
            StmtKind::Error => "<error>".into(),
        }
    }

    /// A statement in braces.
    fn braced(&self, id: StmtId) -> String {
        match self.tree.stmts[id].kind {
            StmtKind::Compound(_) => self.stmt(id),
            _ => format!("{{ {} }}", self.stmt(id)),
        }
    }

    fn block_item(&self, item: &BlockItem) -> String {
        match item {
            BlockItem::Stmt(s) => self.stmt(*s),
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::Function(f) => self.function(f),
            BlockItem::LocalLabels(names) => {
                let names: Vec<&str> = names.iter().map(|n| &*n.name).collect();
                format!("__label__ {};", names.join(", "))
            }
            BlockItem::StaticAssert(a) => self.static_assert(a),
        }
    }

    fn asm(&self, a: &Asm) -> String {
        let operands = |list: &[AsmOperand]| {
            let list: Vec<String> = list
                .iter()
                .map(|o| {
                    let name = o.name.as_ref().map_or(String::new(), |n| format!("[{}] ", n.name));
                    format!("{name}{} ({})", string(&o.constraint), self.expr(o.expr))
                })
                .collect();
            list.join(", ")
        };
        let mut out = String::from("asm");
        if a.is_volatile {
            out += " volatile";
        }
        if a.is_goto {
            out += " goto";
        }
        let _ = write!(out, " ({}", string(&a.template));
        let clobbers: Vec<String> = a.clobbers.iter().map(string).collect();
        let labels: Vec<&str> = a.labels.iter().map(|l| &*l.name).collect();
        if !(a.outputs.is_empty() && a.inputs.is_empty() && clobbers.is_empty() && labels.is_empty()) {
            let _ = write!(
                out,
                " : {} : {} : {}",
                operands(&a.outputs),
                operands(&a.inputs),
                clobbers.join(", ")
            );
        }
        if !labels.is_empty() {
            let _ = write!(out, " : {}", labels.join(", "));
        }
        out + ")"
    }
}

fn qualifiers(q: Qualifiers) -> String {
    let mut out = String::new();
    for (flag, word) in [
        (q.is_const, " const"),
        (q.is_volatile, " volatile"),
        (q.is_restrict, " restrict"),
        (q.is_atomic, " _Atomic"),
    ] {
        if flag {
            out += word;
        }
    }
    out
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Wide => "L",
        Encoding::Char16 => "u",
        Encoding::Char32 => "U",
    }
}

fn string(s: &StringLiteral) -> String {
    format!("{}\"{}\"", prefix(s.encoding), units(&s.units, s.encoding, '"'))
}

/// Units between quotes; a hexadecimal escape in a string is followed by a new piece.
fn units(units: &[u32], encoding: Encoding, quote: char) -> String {
    let mut out = String::new();
    for &u in units {
        match char::from_u32(u).filter(|c| c.is_ascii_graphic() || *c == ' ') {
            Some(c) if c != quote && c != '\\' && c != '?' => out.push(c),
            _ if u < 512 => {
                let _ = write!(out, "\\{u:03o}");
            }
            _ if quote == '"' => {
                let _ = write!(out, "\\x{u:x}\" {}\"", prefix(encoding));
            }
            _ => {
                let _ = write!(out, "\\x{u:x}");
            }
        }
    }
    out
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicAnd => "&&",
        BinaryOp::LogicOr => "||",
    }
}

fn basic(b: Basic) -> &'static str {
    match b {
        Basic::Void => "void",
        Basic::Bool => "_Bool",
        Basic::Char => "char",
        Basic::SignedChar => "signed char",
        Basic::UnsignedChar => "unsigned char",
        Basic::Short => "short",
        Basic::UnsignedShort => "unsigned short",
        Basic::Int => "int",
        Basic::UnsignedInt => "unsigned",
        Basic::Long => "long",
        Basic::UnsignedLong => "unsigned long",
        Basic::LongLong => "long long",
        Basic::UnsignedLongLong => "unsigned long long",
        Basic::Int128 => "__int128",
        Basic::UnsignedInt128 => "unsigned __int128",
        Basic::Float16 => "_Float16",
        Basic::Float => "float",
        Basic::Float32 => "_Float32",
        Basic::Double => "double",
        Basic::Float64 => "_Float64",
        Basic::Float32x => "_Float32x",
        Basic::LongDouble => "long double",
        Basic::Float64x => "_Float64x",
        Basic::Float128 => "_Float128",
        Basic::Decimal32 => "_Decimal32",
        Basic::Decimal64 => "_Decimal64",
        Basic::Decimal128 => "_Decimal128",
    }
}
