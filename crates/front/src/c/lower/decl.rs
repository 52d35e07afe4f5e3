//! Declarations: specifiers, declarators, structures, enumerations, and what is declared with them.

use super::{Body, Lower, Result, Scope, Slots, Symbol, UNSUPPORTED, issue, names, span_of, unsupported};
use crate::c::hir::{Block, ExprId, Function, InstrKind, Place, Storage, Terminator, VarId};
use crate::c::types::{Packing, Signature, Type, TypeId};
use bolide_base::IdVec;
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;
use std::borrow::Cow;

/// What the specifiers of a declaration say besides the type.
#[derive(Clone, Copy, Default)]
pub(super) struct Specifiers {
    typedef: bool,
    is_extern: bool,
    is_static: bool,
    is_volatile: bool,
    is_endless: bool,
}

/// Counts of the words that make up an arithmetic type.
#[derive(Default)]
struct Words {
    void: bool,
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    bool: bool,
    complex: bool,
    other: Option<TypeId>,
}

impl Words {
    fn ty(&self, lower: &mut Lower, span: Span) -> Result<TypeId> {
        if self.complex {
            return unsupported(span, "complex numbers");
        }
        if let Some(t) = self.other {
            return Ok(t);
        }
        let types = &mut lower.types;
        let float_size = |bytes: u32| Type::Float(bytes);
        Ok(if self.void {
            types.void()
        } else if self.bool {
            types.int_of(0, false)
        } else if self.float {
            types.intern(float_size(4))
        } else if self.double {
            let long_double = if types.pointer_size() == 4 { 12 } else { 16 };
            types.intern(float_size(if self.long > 0 { long_double } else { 8 }))
        } else if self.char {
            types.int_of(1, !self.unsigned)
        } else if self.short {
            types.int_of(2, !self.unsigned)
        } else {
            types.int_of(3 + self.long.min(2), !self.unsigned)
        })
    }
}

/// An array of variable length.
struct Vla {
    element: TypeId,
    /// How many elements or rows.
    count: ExprId,
    /// The elements of a row, if there are two dimensions.
    row: Option<ExprId>,
}

/// An attribute's name without underscores around it.
fn plain(name: &str) -> &str {
    name.trim_matches('_')
}

impl Lower<'_> {
    pub(super) fn external(&mut self, item: &Node<ast::ExternalDeclaration>) -> Result<()> {
        match &item.node {
            ast::ExternalDeclaration::Declaration(d) => self.declaration(d),
            ast::ExternalDeclaration::StaticAssert(_) => Ok(()),
            ast::ExternalDeclaration::FunctionDefinition(f) => self.function(f),
        }
    }

    /// Finds the functions of a file that are declared under another name than that of their body, and those whose body
    /// has another name for the linker, under either name.
    pub(super) fn find_renamed(&mut self, items: &[Node<ast::ExternalDeclaration>]) {
        let declarations = items.iter().filter_map(|i| match &i.node {
            ast::ExternalDeclaration::Declaration(d) => Some(&d.node),
            _ => None,
        });
        for declaration in declarations {
            let in_front = declaration.specifiers.iter().any(|s| match &s.node {
                ast::DeclarationSpecifier::Extension(e) => {
                    ["alias", "ifunc", "weakref"].iter().any(|a| has_attribute(e, a))
                }
                _ => false,
            });
            for d in declaration.declarators.iter().map(|i| &i.node.declarator) {
                let Some(name) = declared_name(d) else { continue };
                match label_of(d).filter(|label| *label != name) {
                    Some(label) if self.defined.contains(&name) => self.renamed.extend([name, label]),
                    Some(label)
                        if self.defined.contains(&label)
                            || (names::means_something(&label) && !is_version(&label, &name)) =>
                    {
                        self.renamed.insert(name);
                    }
                    Some(_) => {}
                    None if in_front || has_other_name(d, &name) => {
                        self.renamed.insert(name);
                    }
                    None => {}
                }
            }
        }
    }

    pub(super) fn declaration(&mut self, d: &Node<ast::Declaration>) -> Result<()> {
        let (spec, base) = self.specifiers(&d.node.specifiers, span_of(d))?;
        for item in &d.node.declarators {
            self.declarator_item(spec, base, item)?;
        }
        Ok(())
    }

    fn declarator_item(
        &mut self,
        spec: Specifiers,
        base: TypeId,
        item: &Node<ast::InitDeclarator>,
    ) -> Result<()> {
        let span = span_of(&item.node.declarator);
        let vla = self.variable_length(base, &item.node.declarator)?;
        let (name, mut ty) = match vla {
            Some(Vla { element, .. }) => (declared_name(&item.node.declarator), self.types.pointer(element)),
            None => self.declarator(base, &item.node.declarator)?,
        };
        let Some(name) = name else { return issue(span, "a declaration without a name") };
        ty = self.in_mode(ty, &item.node.declarator.node.extensions)?;
        if spec.typedef {
            self.bind(&name, Symbol::Typedef(ty));
            return Ok(());
        }
        if let Type::Function(_) = self.types.get(ty) {
            if self.body.is_some() && has_other_name(&item.node.declarator, &name) {
                return unsupported(span, "another name of a function, declared in a function");
            }
            if spec.is_endless || has_attribute(&item.node.declarator.node.extensions, "noreturn") {
                self.endless.insert(name.clone());
            }
            self.declare_function(&name, ty, span);
            return Ok(());
        }
        if spec.is_extern && has_other_name(&item.node.declarator, &name) {
            return unsupported(span, "another name of a variable");
        }
        if spec.is_volatile {
            let text = format!("'{name}' is volatile: only the program itself changes what is there");
            self.assume_that(text, span);
        }
        if let Some(init) = &item.node.initializer {
            ty = self.completed(ty, init)?;
        }
        let var = self.declare_variable(&name, ty, spec, item.node.initializer.is_some(), span)?;
        match (&item.node.initializer, self.vars[var].storage) {
            (Some(init), Storage::Static) => self.static_initializer(var, init),
            (Some(init), Storage::Auto(_)) => self.auto_initializer(var, init),
            (None, Storage::Auto(_)) => match vla {
                Some(vla) => self.allocate_array(var, vla, span),
                None => self.start_life(var, span),
            },
            (None, Storage::Static) => Ok(()),
        }
    }

    /// An array of variable length is a pointer to a new object.
    fn allocate_array(&mut self, var: VarId, vla: Vla, span: Span) -> Result<()> {
        use crate::c::hir::{BinOp, Expr};
        self.variable_arrays.insert(var);
        let size = self.size(vla.element, span)?;
        let size_t = self.types.size_t();
        let (mut count, unit) = (self.convert(vla.count, size_t, span)?, self.int(size.into(), size_t, span));
        if let Some(row) = vla.row {
            let row = self.convert(row, size_t, span)?;
            let row = self.saved(row, span)?;
            self.row_lengths.insert(var, row);
            count = self.make(Expr::Binary(BinOp::Mul, count, row), size_t, span);
        }
        let bytes = self.make(Expr::Binary(BinOp::Mul, count, unit), size_t, span);
        let ty = self.vars[var].ty;
        self.emit(InstrKind::Alloc(Place::var(var, ty), bytes, false), span)
    }

    fn start_life(&mut self, var: VarId, span: Span) -> Result<()> {
        let ty = self.vars[var].ty;
        let name = format!("uninitialised {}", self.vars[var].name);
        let input = self.input(&name, ty, span);
        self.size(ty, span)?;
        self.emit(InstrKind::Fresh(var, Some(input)), span)
    }

    pub(super) fn declare_function(&mut self, name: &str, ty: TypeId, span: Span) -> crate::c::hir::FuncId {
        // Functions have file scope wherever they are declared.
        if let Some(Symbol::Func(f)) = self.scopes[0].names.get(name).cloned() {
            let more = matches!(self.types.get(ty), Type::Function(s) if s.params.is_some());
            if more && self.funcs[f].blocks.is_empty() {
                self.funcs[f].ty = ty;
            }
            self.bind(name, Symbol::Func(f));
            return f;
        }
        let f = self.funcs.push(Function {
            name: super::builtin::modelled(name).unwrap_or(name).to_owned(),
            ty,
            params: Vec::new(),
            blocks: IdVec::new(),
            address_taken: false,
            span,
        });
        self.scopes[0].names.insert(name.to_owned(), Symbol::Func(f));
        self.bind(name, Symbol::Func(f));
        f
    }

    fn declare_variable(
        &mut self,
        name: &str,
        ty: TypeId,
        spec: Specifiers,
        initialised: bool,
        span: Span,
    ) -> Result<VarId> {
        let global = self.scopes.len() == 1 || (spec.is_extern && !initialised);
        if matches!(self.types.get(ty), Type::Void) {
            return issue(span, format!("variable '{name}' of type void"));
        }
        self.refuse_long_double(ty, span)?;
        if global {
            if let Some(Symbol::Var(v)) = self.scopes[0].names.get(name).cloned() {
                // A later declaration may complete the type of an array.
                if self.types.size_of(self.vars[v].ty).is_none() {
                    self.vars[v].ty = ty;
                }
                if !spec.is_extern || initialised {
                    self.undefined.shift_remove(&v);
                }
                self.bind(name, Symbol::Var(v));
                return Ok(v);
            }
            let v = self.new_var(name, ty, Storage::Static, span);
            if spec.is_extern && !initialised {
                self.undefined.insert(v);
            }
            self.scopes[0].names.insert(name.to_owned(), Symbol::Var(v));
            self.bind(name, Symbol::Var(v));
            return Ok(v);
        }
        let func = self.body().func;
        let v = if spec.is_static {
            let name = format!("{}::{name}", self.funcs[func].name);
            self.new_var(&name, ty, Storage::Static, span)
        } else {
            self.new_var(name, ty, Storage::Auto(func), span)
        };
        self.bind(name, Symbol::Var(v));
        Ok(v)
    }

    fn specifiers(
        &mut self,
        list: &[Node<ast::DeclarationSpecifier>],
        span: Span,
    ) -> Result<(Specifiers, TypeId)> {
        let (mut spec, mut words) = (Specifiers::default(), Words::default());
        let packing = self.packing(list.iter().filter_map(|s| match &s.node {
            ast::DeclarationSpecifier::Extension(e) => Some(e.as_slice()),
            _ => None,
        }));
        for s in list {
            match &s.node {
                ast::DeclarationSpecifier::StorageClass(c) => match c.node {
                    ast::StorageClassSpecifier::Typedef => spec.typedef = true,
                    ast::StorageClassSpecifier::Extern => spec.is_extern = true,
                    ast::StorageClassSpecifier::Static => spec.is_static = true,
                    _ => {}
                },
                ast::DeclarationSpecifier::TypeSpecifier(t) => self.specifier(&mut words, t, packing)?,
                ast::DeclarationSpecifier::TypeQualifier(q) => {
                    spec.is_volatile |= q.node == ast::TypeQualifier::Volatile;
                }
                ast::DeclarationSpecifier::Function(f) => {
                    spec.is_endless |= f.node == ast::FunctionSpecifier::Noreturn;
                }
                ast::DeclarationSpecifier::Extension(e) => {
                    refuse_attributes(e)?;
                    spec.is_endless |= has_attribute(e, "noreturn");
                }
                _ => {}
            }
        }
        let ty = words.ty(self, span)?;
        let extensions = list.iter().filter_map(|s| match &s.node {
            ast::DeclarationSpecifier::Extension(e) => Some(e.as_slice()),
            _ => None,
        });
        Ok((spec, self.in_mode(ty, extensions.flatten())?))
    }

    pub(super) fn qualified(&mut self, list: &[Node<ast::SpecifierQualifier>], span: Span) -> Result<TypeId> {
        let mut words = Words::default();
        let packing = self.packing(list.iter().filter_map(|s| match &s.node {
            ast::SpecifierQualifier::Extension(e) => Some(e.as_slice()),
            _ => None,
        }));
        for s in list {
            if let ast::SpecifierQualifier::TypeSpecifier(t) = &s.node {
                self.specifier(&mut words, t, packing)?;
            }
        }
        words.ty(self, span)
    }

    pub(super) fn packing<'x>(&mut self, lists: impl Iterator<Item = &'x [Node<ast::Extension>]>) -> Packing {
        let mut packing = Packing::default();
        for e in lists.flatten() {
            if let ast::Extension::Attribute(a) = &e.node {
                match plain(&a.name.node) {
                    "packed" => packing.packed = true,
                    "aligned" => packing.align = self.alignment(a),
                    _ => {}
                }
            }
        }
        packing
    }

    /// The type that the attribute `mode` makes of another one.
    fn in_mode<'x>(
        &mut self,
        ty: TypeId,
        extensions: impl IntoIterator<Item = &'x Node<ast::Extension>>,
    ) -> Result<TypeId> {
        let mut ty = ty;
        for e in extensions {
            let ast::Extension::Attribute(a) = &e.node else { continue };
            match plain(&a.name.node) {
                "mode" => {}
                "vector_size" | "scalar_storage_order" => {
                    return unsupported(span_of(e), format_args!("the attribute '{}'", plain(&a.name.node)));
                }
                _ => continue,
            }
            let mode = match a.arguments.first().map(|e| &e.node) {
                Some(ast::Expression::Identifier(i)) => plain(&i.node.name),
                _ => "",
            };
            let signed = self.types.as_int(ty).map(|i| i.signed);
            let long = if self.types.pointer_size() == 4 { 5 } else { 4 };
            ty = match (mode, signed) {
                ("QI" | "byte", Some(signed)) => self.types.int_of(1, signed),
                ("HI", Some(signed)) => self.types.int_of(2, signed),
                ("SI", Some(signed)) => self.types.int_of(3, signed),
                ("DI", Some(signed)) => self.types.int_of(long, signed),
                ("word" | "pointer", Some(signed)) => self.types.int_of(4, signed),
                ("SF", None) if self.types.is_float(ty) => self.types.intern(Type::Float(4)),
                ("DF", None) if self.types.is_float(ty) => self.types.intern(Type::Float(8)),
                _ => return unsupported(span_of(e), format_args!("the mode '{mode}'")),
            };
        }
        Ok(ty)
    }

    fn alignment(&mut self, a: &ast::Attribute) -> Option<u64> {
        match a.arguments.first() {
            Some(e) => {
                self.constant(e).ok().and_then(|v| u64::try_from(v).ok()).filter(|v| v.is_power_of_two())
            }
            None => Some(16),
        }
    }

    fn specifier(&mut self, words: &mut Words, t: &Node<ast::TypeSpecifier>, packing: Packing) -> Result<()> {
        let span = span_of(t);
        match &t.node {
            ast::TypeSpecifier::Void => words.void = true,
            ast::TypeSpecifier::Char => words.char = true,
            ast::TypeSpecifier::Short => words.short = true,
            ast::TypeSpecifier::Int => words.int = true,
            ast::TypeSpecifier::Long => words.long += 1,
            ast::TypeSpecifier::Float => words.float = true,
            ast::TypeSpecifier::Double => words.double = true,
            ast::TypeSpecifier::Signed => words.signed = true,
            ast::TypeSpecifier::Unsigned => words.unsigned = true,
            ast::TypeSpecifier::Bool => words.bool = true,
            ast::TypeSpecifier::Complex => words.complex = true,
            ast::TypeSpecifier::Atomic(name) => words.other = Some(self.type_name(name)?),
            ast::TypeSpecifier::Struct(s) => words.other = Some(self.record(s, packing)?),
            ast::TypeSpecifier::Enum(e) => words.other = Some(self.enumeration(e)?),
            ast::TypeSpecifier::TypedefName(n) => match self.find(&n.node.name) {
                Some(Symbol::Typedef(ty)) => words.other = Some(*ty),
                _ => return issue(span, format!("unknown type name '{}'", n.node.name)),
            },
            ast::TypeSpecifier::TypeOf(t) => {
                words.other = Some(match &t.node {
                    ast::TypeOf::Type(name) => self.type_name(name)?,
                    ast::TypeOf::Expression(e) => self.type_of(e)?,
                })
            }
            ast::TypeSpecifier::TS18661Float(f) => {
                use ast::TS18661FloatFormat::{BinaryExtended, BinaryInterchange};
                let bytes = match (&f.format, f.width) {
                    (BinaryInterchange, 32) => 4,
                    (BinaryInterchange, 64) | (BinaryExtended, 32) => 8,
                    // Like `long double`: of these there are no objects.
                    (BinaryInterchange, 128) | (BinaryExtended, 64) => 16,
                    _ => return unsupported(span, "this floating type"),
                };
                words.other = Some(self.types.intern(Type::Float(bytes)));
            }
        }
        Ok(())
    }

    pub(super) fn type_name(&mut self, name: &Node<ast::TypeName>) -> Result<TypeId> {
        let base = self.qualified(&name.node.specifiers, span_of(name))?;
        match &name.node.declarator {
            Some(d) => Ok(self.declarator(base, d)?.1),
            None => Ok(base),
        }
    }

    /// Name and type that a declarator gives to a base type.
    pub(super) fn declarator(
        &mut self,
        base: TypeId,
        d: &Node<ast::Declarator>,
    ) -> Result<(Option<String>, TypeId)> {
        let derived = &d.node.derived;
        refuse_attributes(&d.node.extensions)?;
        for x in derived {
            if let ast::DerivedDeclarator::Pointer(qualifiers) = &x.node {
                qualifiers.iter().try_for_each(|q| match &q.node {
                    ast::PointerQualifier::Extension(e) => refuse_attributes(e),
                    ast::PointerQualifier::TypeQualifier(_) => Ok(()),
                })?;
            }
        }
        let pointers =
            derived.iter().take_while(|x| matches!(x.node, ast::DerivedDeclarator::Pointer(_))).count();
        let mut ty = base;
        for _ in 0..pointers {
            ty = self.types.pointer(ty);
        }
        for x in derived[pointers..].iter().rev() {
            ty = self.derive(ty, x)?;
        }
        match &d.node.kind.node {
            ast::DeclaratorKind::Abstract => Ok((None, ty)),
            ast::DeclaratorKind::Identifier(i) => Ok((Some(i.node.name.clone()), ty)),
            ast::DeclaratorKind::Declarator(inner) => self.declarator(ty, inner),
        }
    }

    fn derive(&mut self, ty: TypeId, x: &Node<ast::DerivedDeclarator>) -> Result<TypeId> {
        let span = span_of(x);
        Ok(match &x.node {
            ast::DerivedDeclarator::Pointer(_) => self.types.pointer(ty),
            ast::DerivedDeclarator::Array(a) => {
                let count = match &a.node.size {
                    ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => None,
                    ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => {
                        let n = self.constant(e)?;
                        Some(
                            u64::try_from(n)
                                .or_else(|_| issue(span, "the length of the array is negative"))?,
                        )
                    }
                };
                self.types.intern(Type::Array(ty, count))
            }
            ast::DerivedDeclarator::Function(f) => {
                let signature = self.signature(ty, f)?;
                self.types.intern(Type::Function(signature))
            }
            ast::DerivedDeclarator::KRFunction(_) => {
                self.types.intern(Type::Function(Signature { result: ty, params: None, variadic: false }))
            }
            ast::DerivedDeclarator::Block(_) => return unsupported(span, "blocks"),
        })
    }

    fn signature(&mut self, result: TypeId, f: &Node<ast::FunctionDeclarator>) -> Result<Signature> {
        let variadic = matches!(f.node.ellipsis, ast::Ellipsis::Some);
        let mut params = Vec::new();
        self.scopes.push(Scope::default());
        let outcome = f.node.parameters.iter().try_for_each(|p| {
            let (_, ty) = self.parameter(p)?;
            params.push(ty);
            Ok(())
        });
        self.scopes.pop();
        outcome?;
        if let [only] = params[..]
            && matches!(self.types.get(only), Type::Void)
        {
            params.clear();
            return Ok(Signature { result, params: Some(params), variadic });
        }
        let known = !params.is_empty() || variadic;
        Ok(Signature { result, params: known.then_some(params), variadic })
    }

    /// Name and type of a parameter; arrays and functions become pointers.
    fn parameter(&mut self, p: &Node<ast::ParameterDeclaration>) -> Result<(Option<String>, TypeId)> {
        let (_, base) = self.specifiers(&p.node.specifiers, span_of(p))?;
        let (name, ty) = match &p.node.declarator {
            Some(d) => self.declarator(base, &without_first_length(d))?,
            None => (None, base),
        };
        Ok((name, self.decayed(ty)))
    }

    pub(super) fn decayed(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty).clone() {
            Type::Array(t, _) => self.types.pointer(t),
            Type::Function(_) => self.types.pointer(ty),
            _ => ty,
        }
    }

    /// An array of one or two dimensions whose lengths are not all constant.
    fn variable_length(&mut self, base: TypeId, d: &Node<ast::Declarator>) -> Result<Option<Vla>> {
        let is_pointer =
            |x: &Node<ast::DerivedDeclarator>| matches!(x.node, ast::DerivedDeclarator::Pointer(_));
        let pointers = d.node.derived.iter().take_while(|x| is_pointer(x)).count();
        let is_name = matches!(d.node.kind.node, ast::DeclaratorKind::Identifier(_));
        if self.body.is_none() || !is_name {
            return Ok(None);
        }
        let mut lengths = Vec::new();
        for x in &d.node.derived[pointers..] {
            let ast::DerivedDeclarator::Array(a) = &x.node else { return Ok(None) };
            let ast::ArraySize::VariableExpression(e) = &a.node.size else { return Ok(None) };
            lengths.push(self.scalar_value(e)?);
        }
        if lengths.iter().all(|&n| self.int_value(n).is_some()) {
            return Ok(None);
        }
        let (count, row) = match lengths[..] {
            [count] => (count, None),
            [count, row] => (count, Some(row)),
            _ => return unsupported(span_of(d), "arrays of variable length with more than two dimensions"),
        };
        let element = (0..pointers).fold(base, |ty, _| self.types.pointer(ty));
        Ok(Some(Vla { element, count, row }))
    }

    fn function(&mut self, f: &Node<ast::FunctionDefinition>) -> Result<()> {
        let span = span_of(&f.node.declarator);
        let (_, base) = self.specifiers(&f.node.specifiers, span)?;
        let (name, ty) = self.declarator(base, &f.node.declarator)?;
        let Some(name) = name else { return issue(span, "a function without a name") };
        let Type::Function(signature) = self.types.get(ty).clone() else {
            return issue(span, "a body for something that is not a function");
        };
        let id = self.declare_function(&name, ty, span);
        if !self.funcs[id].blocks.is_empty() {
            return issue(span, format!("function '{name}' is defined twice"));
        }
        self.funcs[id].span = span;
        self.scopes.push(Scope::default());
        let blocks: IdVec<_, Block> =
            std::iter::once(Block { instrs: Vec::new(), end: Terminator::Halt, span }).collect();
        // A body that calls itself must be seen as defined.
        self.funcs[id].blocks = blocks.clone();
        self.body = Some(Body {
            func: id,
            result: signature.result,
            result_slot: None,
            current: bolide_base::Id::from_index(0),
            blocks,
            labels: Default::default(),
            mentioned: Vec::new(),
            placed: Default::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
        });
        let outcome = self.function_body(f, id, span);
        self.scopes.pop();
        let body = self.body.take().expect("the body was set above");
        match outcome {
            Err(issue) if issue.message.starts_with(UNSUPPORTED) => {
                self.refused.push((id, issue));
                return Ok(());
            }
            outcome => outcome?,
        }
        if let Some((name, at)) = body.mentioned.iter().find(|(n, _)| !body.placed.contains(n)) {
            return issue(*at, format!("label '{name}' is not defined"));
        }
        self.funcs[id].blocks = body.blocks;
        Ok(())
    }

    fn function_body(
        &mut self,
        f: &Node<ast::FunctionDefinition>,
        id: crate::c::hir::FuncId,
        span: Span,
    ) -> Result<()> {
        let params = self.formal_params(f)?;
        let types: Vec<TypeId> = params.iter().map(|p| p.1).collect();
        if is_old_style(&f.node.declarator) && types.iter().any(|&ty| self.is_promoted(ty)) {
            self.promoted_params.push(id);
        }
        if let Type::Function(s) = self.types.get(self.funcs[id].ty).clone() {
            let ty = self.types.intern(Type::Function(Signature { params: Some(types), ..s }));
            self.funcs[id].ty = ty;
        }
        for (name, ty) in params {
            let v = self.new_var(name.as_deref().unwrap_or("unnamed"), ty, Storage::Auto(id), span);
            if let Some(name) = name {
                self.bind(&name, Symbol::Var(v));
            }
            self.funcs[id].params.push(v);
        }
        if matches!(self.types.get(self.funcs[id].ty), Type::Function(s) if s.variadic) {
            self.add_rest(id, span);
        }
        let slots = self.slots_of(id);
        self.body().result_slot = slots.result;
        for (n, slot) in slots.params.iter().enumerate() {
            if let Some(slot) = *slot {
                let param = self.funcs[id].params[n];
                let ty = self.vars[param].ty;
                self.emit(InstrKind::Copy(Place::var(param, ty), Place::var(slot, ty)), span)?;
            }
        }
        self.statement(&f.node.statement)?;
        let result = self.body().result;
        let value = match self.types.get(result) {
            Type::Void | Type::Record(_) => None,
            _ if self.funcs[id].name == "main" => {
                let int = self.types.int();
                Some(self.int(0, int, span))
            }
            // Falling off the end gives an arbitrary value.
            _ => {
                let v = self.temp(result, span);
                self.start_life(v, span)?;
                Some(self.load_var(v, span))
            }
        };
        self.stop(Terminator::Return(value), span);
        Ok(())
    }

    /// Does an argument of this type arrive as one of another type if there is no prototype?
    fn is_promoted(&mut self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Float(4)) || self.types.promote(ty, None) != ty
    }

    /// Names and types of the parameters of a definition, old style included.
    fn formal_params(&mut self, f: &Node<ast::FunctionDefinition>) -> Result<Vec<(Option<String>, TypeId)>> {
        let mut d = &f.node.declarator;
        let mut found = None;
        loop {
            for x in &d.node.derived {
                if matches!(
                    x.node,
                    ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_)
                ) {
                    found = Some(&x.node);
                    break;
                }
            }
            match &d.node.kind.node {
                ast::DeclaratorKind::Declarator(inner) => d = inner,
                _ => break,
            }
        }
        match found {
            Some(ast::DerivedDeclarator::Function(list)) => {
                let mut params = Vec::new();
                for p in &list.node.parameters {
                    let (name, ty) = self.parameter(p)?;
                    if !matches!(self.types.get(ty), Type::Void) {
                        params.push((name, ty));
                    }
                }
                Ok(params)
            }
            Some(ast::DerivedDeclarator::KRFunction(names)) => {
                let mut declared = rustc_hash::FxHashMap::default();
                for d in &f.node.declarations {
                    let (_, base) = self.specifiers(&d.node.specifiers, span_of(d))?;
                    for item in &d.node.declarators {
                        let (name, ty) = self.declarator(base, &item.node.declarator)?;
                        let ty = self.decayed(ty);
                        declared.extend(name.map(|n| (n, ty)));
                    }
                }
                let int = self.types.int();
                let names = names.iter().map(|n| n.node.name.clone());
                Ok(names
                    .map(|n| {
                        let ty = declared.get(&n).copied().unwrap_or(int);
                        (Some(n), ty)
                    })
                    .collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The slots for records of a function with a body.
    pub(super) fn slots_of(&mut self, id: crate::c::hir::FuncId) -> Slots {
        if let Some(s) = self.slots.get(&id) {
            return s.clone();
        }
        let Type::Function(signature) = self.types.get(self.funcs[id].ty).clone() else {
            return Slots::default();
        };
        let (name, span) = (self.funcs[id].name.clone(), self.funcs[id].span);
        let slot = |this: &mut Self, ty: TypeId, what: String| {
            matches!(this.types.get(ty), Type::Record(_))
                .then(|| this.new_var(&format!("{name}::{what}"), ty, Storage::Static, span))
        };
        let params = signature.params.unwrap_or_default();
        let params =
            params.iter().enumerate().map(|(n, &ty)| slot(self, ty, format!("argument{n}"))).collect();
        let result = slot(self, signature.result, "result".into());
        let slots = Slots { params, result };
        self.slots.insert(id, slots.clone());
        slots
    }
}

/// The name of a function definition.
pub(super) fn defined_name(item: &Node<ast::ExternalDeclaration>) -> Option<String> {
    match &item.node {
        ast::ExternalDeclaration::FunctionDefinition(f) => declared_name(&f.node.declarator),
        _ => None,
    }
}

/// Does a function have its parameters declared behind the list of their names?
fn is_old_style(d: &Node<ast::Declarator>) -> bool {
    d.node.derived.iter().any(|x| matches!(x.node, ast::DerivedDeclarator::KRFunction(_)))
}

/// Functions that run before the program, after it, or at the end of a variable's life are refused.
fn refuse_attributes(extensions: &[Node<ast::Extension>]) -> Result<()> {
    for e in extensions {
        if let ast::Extension::Attribute(a) = &e.node
            && matches!(plain(&a.name.node), "constructor" | "destructor" | "cleanup")
        {
            return unsupported(span_of(e), format_args!("the attribute '{}'", plain(&a.name.node)));
        }
    }
    Ok(())
}

fn has_attribute(extensions: &[Node<ast::Extension>], name: &str) -> bool {
    extensions.iter().any(|e| matches!(&e.node, ast::Extension::Attribute(a) if plain(&a.name.node) == name))
}

/// Does a declarator give what it declares another name than its own for the linker?
fn has_other_name(d: &Node<ast::Declarator>, name: &str) -> bool {
    d.node.extensions.iter().any(|e| match &e.node {
        ast::Extension::Attribute(a) => matches!(plain(&a.name.node), "alias" | "ifunc" | "weakref"),
        ast::Extension::AsmLabel(_) => label_of(d).is_some_and(|label| label != name),
        ast::Extension::AvailabilityAttribute(_) => false,
    })
}

/// The name for the linker that a declarator writes down.
fn label_of(d: &Node<ast::Declarator>) -> Option<String> {
    d.node.extensions.iter().find_map(|e| match &e.node {
        ast::Extension::AsmLabel(s) => Some(s.node.iter().map(|part| part.trim_matches('"')).collect()),
        _ => None,
    })
}

/// Headers rename functions of the library to other versions of them.
fn is_version(label: &str, of: &str) -> bool {
    let plain = label.trim_end_matches("64");
    let plain = ["__isoc99_", "__isoc23_", "__xpg_", "__xstat", "__"]
        .iter()
        .find_map(|p| plain.strip_prefix(p))
        .unwrap_or(plain);
    plain == of
}

/// The declarator of a parameter without the length of an array, which is a pointer whatever its length.
fn without_first_length(d: &Node<ast::Declarator>) -> Cow<'_, Node<ast::Declarator>> {
    let is_pointer = |x: &Node<ast::DerivedDeclarator>| matches!(x.node, ast::DerivedDeclarator::Pointer(_));
    let outermost = d.node.derived.iter().position(|x| !is_pointer(x));
    let is_nested = matches!(d.node.kind.node, ast::DeclaratorKind::Declarator(_));
    match outermost {
        Some(n) if !is_nested && matches!(d.node.derived[n].node, ast::DerivedDeclarator::Array(_)) => {
            let mut d = d.clone();
            if let ast::DerivedDeclarator::Array(a) = &mut d.node.derived[n].node {
                a.node.size = ast::ArraySize::Unknown;
            }
            Cow::Owned(d)
        }
        _ => Cow::Borrowed(d),
    }
}

/// The name inside a declarator.
fn declared_name(d: &Node<ast::Declarator>) -> Option<String> {
    let mut d = d;
    loop {
        match &d.node.kind.node {
            ast::DeclaratorKind::Abstract => return None,
            ast::DeclaratorKind::Identifier(i) => return Some(i.node.name.clone()),
            ast::DeclaratorKind::Declarator(inner) => d = inner,
        }
    }
}
