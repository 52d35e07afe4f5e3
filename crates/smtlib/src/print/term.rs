//! Printing terms with a work list instead of recursion.

use super::sharing::Sharing;
use super::symbol::{print_constructor, print_sort, print_symbol, write_bits, write_number};
use bolide_base::Rational;
use bolide_term::{DIV_BY_ZERO, FLOAT_UNSPECIFIED, FloatFormat, FloatOp, Op, Sort, Store, Term, UBig};
use std::fmt::{self, Display};

/// A term on its way to a text; see [`print_term`].
#[derive(Copy, Clone, Debug)]
pub struct TermDisplay<'a> {
    store: &'a Store,
    term: Term,
}

/// Prints a term.
///
/// The text reads back as the same term, up to the names of bound variables. Large shared subterms are bound by `let`,
/// so that the text is not much larger than the term is as a graph.
pub fn print_term(store: &Store, term: Term) -> TermDisplay<'_> {
    TermDisplay { store, term }
}

impl Display for TermDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sharing = Sharing::of(self.store, self.term);
        let mut writer = Writer { store: self.store, sharing: &sharing, f, todo: Vec::new() };
        writer.push_scope(&sharing.top, self.term);
        writer.run()
    }
}

/// Something that is still to be written.
enum Piece {
    Text(&'static str),
    /// A subterm, by its name if it has one.
    Term(Term),
    /// What the name of a subterm stands for.
    Definition(Term),
    /// The beginning of a binding.
    Binding(Term),
    /// A numeral of the sort of a term.
    Number(Rational, Sort),
}

struct Writer<'a, 'f, 'b> {
    store: &'a Store,
    sharing: &'a Sharing,
    f: &'f mut fmt::Formatter<'b>,
    /// Pieces to write, the next one last.
    todo: Vec<Piece>,
}

impl Writer<'_, '_, '_> {
    fn run(&mut self) -> fmt::Result {
        while let Some(piece) = self.todo.pop() {
            match piece {
                Piece::Text(text) => self.f.write_str(text)?,
                Piece::Number(value, sort) => write_number(self.f, &value, sort)?,
                Piece::Binding(t) => {
                    self.f.write_str("(")?;
                    self.write_name(t)?;
                    self.f.write_str(" ")?;
                }
                Piece::Definition(t) => self.write_node(t)?,
                Piece::Term(t) if self.sharing.name(t).is_some() => self.write_name(t)?,
                Piece::Term(t) => self.write_node(t)?,
            }
        }
        Ok(())
    }

    fn write_name(&mut self, t: Term) -> fmt::Result {
        write!(self.f, "{}{}", self.sharing.prefix, self.sharing.name(t).unwrap_or(0))
    }

    /// Plans to write a term inside the `let`s of some groups of subterms.
    fn push_scope(&mut self, groups: &[Vec<Term>], body: Term) {
        self.todo.extend(groups.iter().map(|_| Piece::Text(")")));
        self.todo.push(Piece::Term(body));
        for group in groups.iter().rev() {
            self.todo.push(Piece::Text(") "));
            for (i, &t) in group.iter().enumerate().rev() {
                let separator = if i == 0 { "" } else { " " };
                self.todo.extend([
                    Piece::Text(")"),
                    Piece::Definition(t),
                    Piece::Binding(t),
                    Piece::Text(separator),
                ]);
            }
            self.todo.push(Piece::Text("(let ("));
        }
    }

    /// Plans to write arguments, each after a space, and a closing parenthesis.
    fn push_arguments(&mut self, args: &[Term]) {
        self.todo.push(Piece::Text(")"));
        for &a in args.iter().rev() {
            self.todo.extend([Piece::Term(a), Piece::Text(" ")]);
        }
    }

    /// Writes an application of a theory symbol to the arguments of a term.
    fn write_application(&mut self, head: &str, t: Term) -> fmt::Result {
        write!(self.f, "({head}")?;
        self.push_arguments(self.store.args(t));
        Ok(())
    }

    /// Writes a relation between two terms.
    fn write_relation(&mut self, relation: &str, a: Term, b: Term) -> fmt::Result {
        write!(self.f, "({relation}")?;
        self.push_arguments(&[a, b]);
        Ok(())
    }

    fn write_node(&mut self, t: Term) -> fmt::Result {
        let store = self.store;
        let sort = store.sort_of(t);
        match store.op(t) {
            Op::True => self.f.write_str("true"),
            Op::False => self.f.write_str("false"),
            Op::Not => self.write_negation(t),
            Op::And => self.write_application("and", t),
            Op::Or => self.write_application("or", t),
            Op::Ite => self.write_application("ite", t),
            Op::Eq => self.write_application("=", t),
            Op::Num(n) => write_number(self.f, store.num_value(n), sort),
            Op::Add => self.write_sum(t),
            Op::Mul => self.write_product(t),
            Op::Le => self.write_inequality(t),
            Op::Div => self.write_application("div", t),
            Op::Mod => self.write_application("mod", t),
            Op::RealDiv => self.write_application("/", t),
            Op::ToReal => self.write_application("to_real", t),
            Op::ToInt => self.write_application("to_int", t),
            Op::Select => self.write_application("select", t),
            Op::Store => self.write_application("store", t),
            Op::ConstArray => {
                let head = format!("(as const {})", print_sort(store, sort));
                self.write_application(&head, t)
            }
            Op::Construct(c) => {
                let head = print_constructor(store, sort, c).to_string();
                match store.args(t).is_empty() {
                    true => self.f.write_str(&head),
                    false => self.write_application(&head, t),
                }
            }
            Op::Field { constructor, field } => {
                let whole = store.sort_of(store.arg(t, 0));
                let name = &store.constructor(whole, constructor).fields[field as usize].name;
                self.write_application(&print_symbol(name).to_string(), t)
            }
            Op::Is(c) => {
                let name = &store.constructor(store.sort_of(store.arg(t, 0)), c).name;
                self.write_application(&format!("(_ is {})", print_symbol(name)), t)
            }
            Op::Apply(f) if store.args(t).is_empty() => print_symbol(&store.decl(f).name).fmt(self.f),
            Op::Apply(f) => self.write_declared(&store.decl(f).name, t),
            Op::Forall => self.write_quantifier("(forall (", t),
            Op::Exists => self.write_quantifier("(exists (", t),
            Op::Float(op) => self.write_float(op, t),
            Op::FloatConst(_) => match (store.float_format(sort), store.float_value(t)) {
                (Some(format), Some(bits)) => write_float_constant(self.f, format, &bits),
                _ => Ok(()),
            },
            _ => self.write_bit_vector(t),
        }
    }

    fn write_float(&mut self, op: FloatOp, t: Term) -> fmt::Result {
        let sort = self.store.sort_of(t);
        let indexed = |name: &str| match (self.store.float_format(sort), self.store.bv_width(sort)) {
            (Some(f), _) => format!("(_ {name} {} {})", f.exponent, f.significand),
            (None, width) => format!("(_ {name} {})", width.unwrap_or(1)),
        };
        let head = match op {
            FloatOp::Bits => "fp.to_ieee_bv",
            FloatOp::Add => "fp.add",
            FloatOp::Mul => "fp.mul",
            FloatOp::Div => "fp.div",
            FloatOp::Fma => "fp.fma",
            FloatOp::Sqrt => "fp.sqrt",
            FloatOp::Rem => "fp.rem",
            FloatOp::RoundToIntegral => "fp.roundToIntegral",
            FloatOp::Lt => "fp.lt",
            FloatOp::Le => "fp.leq",
            FloatOp::FromBits | FloatOp::ToFloat | FloatOp::FromSigned => &indexed("to_fp"),
            FloatOp::FromUnsigned => &indexed("to_fp_unsigned"),
            FloatOp::ToUnsigned => &indexed("fp.to_ubv"),
            FloatOp::ToSigned => &indexed("fp.to_sbv"),
        };
        self.write_application(head, t)
    }

    /// A function that the theory leaves open where it is asked: any of its values will do elsewhere.
    fn write_unspecified(&mut self, which: usize, t: Term) -> fmt::Result {
        let store = self.store;
        let (Some(&x), name) =
            (store.args(t).last(), ["fp.min", "fp.max", "fp.to_ubv", "fp.to_sbv", "fp.to_real"][which])
        else {
            return Ok(());
        };
        if which < 2 {
            // Which of two zeros: the one that comes first?
            write!(self.f, "(= ({name} ")?;
            self.todo.extend([
                Piece::Text(")"),
                Piece::Term(x),
                Piece::Text(")) "),
                Piece::Term(x),
                Piece::Text(" (fp.neg "),
                Piece::Term(x),
            ]);
            return Ok(());
        }
        match store.bv_width(store.sort_of(t)) {
            Some(width) => self.write_application(&format!("(_ {name} {width})"), t),
            None => self.write_application(name, t),
        }
    }

    fn write_bit_vector(&mut self, t: Term) -> fmt::Result {
        let store = self.store;
        let width = store.bv_width(store.sort_of(t)).unwrap_or(1);
        let head = match store.op(t) {
            Op::BvConst(n) => {
                let value = store.num_value(n).numer_ibig().into_parts().1;
                return write_bits(self.f, width, &value);
            }
            Op::Bit(i) => {
                write!(self.f, "(= ((_ extract {i} {i})")?;
                self.todo.push(Piece::Text(" #b1)"));
                self.push_arguments(store.args(t));
                return Ok(());
            }
            Op::Extract { hi, lo } => return self.write_application(&format!("(_ extract {hi} {lo})"), t),
            Op::SignExtend(n) => return self.write_application(&format!("(_ sign_extend {n})"), t),
            Op::IntToBv => return self.write_application(&format!("(_ int2bv {width})"), t),
            Op::Concat => "concat",
            Op::BvNot => "bvnot",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvNeg => "bvneg",
            Op::BvAdd => "bvadd",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::BvUlt => "bvult",
            Op::BvUle => "bvule",
            Op::BvSlt => "bvslt",
            Op::BvSle => "bvsle",
            // All other operators were handled by the caller.
            _ => "bv2nat",
        };
        self.write_application(head, t)
    }

    fn write_quantifier(&mut self, opening: &str, t: Term) -> fmt::Result {
        let store = self.store;
        self.f.write_str(opening)?;
        let Some((&body, variables)) = store.args(t).split_last() else { return Ok(()) };
        for (i, &v) in variables.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let name = store.as_var(v).map_or("", |f| &store.decl(f).name);
            let sort = print_sort(store, store.sort_of(v));
            write!(self.f, "{separator}({} {sort})", print_symbol(name))?;
        }
        self.f.write_str(") ")?;
        self.todo.push(Piece::Text(")"));
        self.push_scope(self.sharing.inside(t), body);
        Ok(())
    }

    /// A declared symbol with arguments; division by zero is written as such.
    fn write_declared(&mut self, name: &str, t: Term) -> fmt::Result {
        if let Some(i) = FLOAT_UNSPECIFIED.iter().position(|&n| n == name) {
            return self.write_unspecified(i, t);
        }
        let Some(i) = DIV_BY_ZERO.iter().position(|&n| n == name) else {
            write!(self.f, "({}", print_symbol(name))?;
            self.push_arguments(self.store.args(t));
            return Ok(());
        };
        let (head, zero) = [("(div ", " 0)"), ("(mod ", " 0)"), ("(/ ", " 0.0)")][i];
        self.f.write_str(head)?;
        self.todo.extend([Piece::Text(zero), Piece::Term(self.store.arg(t, 0))]);
        Ok(())
    }

    /// The negation of an inequality is the opposite inequality.
    fn write_negation(&mut self, t: Term) -> fmt::Result {
        let store = self.store;
        let atom = store.arg(t, 0);
        if store.op(atom) != Op::Le || self.sharing.name(atom).is_some() {
            return self.write_application("not", t);
        }
        let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
        if let Some(predecessor) = self.predecessor(a) {
            return self.write_relation(">=", predecessor, b);
        }
        match (store.as_num(a), store.as_num(b)) {
            (_, Some(bound)) if store.sort_of(b) == Sort::INT => {
                self.f.write_str("(>= ")?;
                let successor = Piece::Number(bound + Rational::ONE, Sort::INT);
                self.todo.extend([Piece::Text(")"), successor, Piece::Text(" "), Piece::Term(a)]);
                Ok(())
            }
            (Some(_), None) => self.write_relation("<", b, a),
            _ => self.write_relation(">", a, b),
        }
    }

    fn write_inequality(&mut self, t: Term) -> fmt::Result {
        let (a, b) = (self.store.arg(t, 0), self.store.arg(t, 1));
        if let Some(predecessor) = self.predecessor(a) {
            return self.write_relation("<", predecessor, b);
        }
        match self.store.as_num(a) {
            Some(_) => self.write_relation(">=", b, a),
            None => self.write_relation("<=", a, b),
        }
    }

    /// `x` for the integer term `x + 1`, which as a lower side is better written as a strict inequality.
    fn predecessor(&self, t: Term) -> Option<Term> {
        match *self.store.args(t) {
            [one, x]
                if self.store.op(t) == Op::Add
                    && self.store.sort_of(t) == Sort::INT
                    && self.store.as_num(one).is_some_and(Rational::is_one)
                    && self.sharing.name(t).is_none() =>
            {
                Some(x)
            }
            _ => None,
        }
    }

    /// A sum with its constant last; a sum of two operands as a difference if one of them is negative.
    fn write_sum(&mut self, t: Term) -> fmt::Result {
        let args = self.store.args(t);
        let has_constant = self.store.as_num(args[0]).is_some();
        if let [a, b] = *args {
            let (a, b) = if has_constant { (b, a) } else { (a, b) };
            match (self.is_negative(a), self.is_negative(b)) {
                (false, true) => return self.write_difference(a, b),
                (true, false) => return self.write_difference(b, a),
                _ => {}
            }
        }
        self.f.write_str("(+")?;
        self.push_arguments(args);
        if has_constant {
            // The constant is the piece before the space that comes first.
            let space = self.todo.pop();
            let constant = self.todo.pop();
            let after_monomials = self.todo.len() - 2 * (args.len() - 1);
            self.todo.splice(after_monomials..after_monomials, constant.into_iter().chain(space));
        }
        Ok(())
    }

    fn is_negative(&self, t: Term) -> bool {
        let factor = if self.store.op(t) == Op::Mul { self.store.arg(t, 0) } else { t };
        self.store.as_num(factor).is_some_and(Rational::is_negative)
    }

    /// `(- a b')` where `b'` is `b` negated.
    fn write_difference(&mut self, a: Term, b: Term) -> fmt::Result {
        self.f.write_str("(- ")?;
        let sort = self.store.sort_of(b);
        match self.store.as_num(b) {
            Some(value) => self.todo.extend([Piece::Text(")"), Piece::Number(value.abs(), sort)]),
            None => {
                let base = self.store.arg(b, 1);
                match self.store.as_num(self.store.arg(b, 0)) {
                    Some(factor) if !factor.is_minus_one() => self.todo.extend([
                        Piece::Text("))"),
                        Piece::Term(base),
                        Piece::Text(" "),
                        Piece::Number(factor.abs(), sort),
                        Piece::Text("(* "),
                    ]),
                    _ => self.todo.extend([Piece::Text(")"), Piece::Term(base)]),
                }
            }
        }
        self.todo.extend([Piece::Text(" "), Piece::Term(a)]);
        Ok(())
    }

    fn write_product(&mut self, t: Term) -> fmt::Result {
        if self.store.as_num(self.store.arg(t, 0)).is_some_and(Rational::is_minus_one) {
            self.f.write_str("(- ")?;
            self.todo.extend([Piece::Text(")"), Piece::Term(self.store.arg(t, 1))]);
            return Ok(());
        }
        self.write_application("*", t)
    }
}

/// Writes a floating-point constant.
pub(super) fn write_float_constant(
    f: &mut fmt::Formatter<'_>,
    format: FloatFormat,
    bits: &UBig,
) -> fmt::Result {
    let (e, s) = (format.exponent, format.significand);
    let special = [
        ("NaN", format.nan()),
        ("+oo", format.infinity(false)),
        ("-oo", format.infinity(true)),
        ("+zero", format.zero(false)),
        ("-zero", format.zero(true)),
    ];
    if let Some((name, _)) = special.iter().find(|(_, special)| special == bits) {
        return write!(f, "(_ {name} {e} {s})");
    }
    let field = |low: u32, width: u32| (bits >> low as usize) % (UBig::ONE << width as usize);
    f.write_str("(fp ")?;
    write_bits(f, 1, &field(e + s - 1, 1))?;
    f.write_str(" ")?;
    write_bits(f, e, &field(s - 1, e))?;
    f.write_str(" ")?;
    write_bits(f, s - 1, &field(0, s - 1))?;
    f.write_str(")")
}
