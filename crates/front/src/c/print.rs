//! Formulas over the variables of a program as C expressions.
//!
//! The expressions are for readers and for witnesses: sums are written so that both sides have positive terms, and where
//! a sum could leave the range of its type the caller may ask for a cast in front of the first operand. What has no
//! counterpart in C, such as an equality of arrays, has no expression. An array of the encoding is not always one of the
//! program, so elements are written for readers only.

use bolide_base::Rational;
use bolide_model::Program;
use bolide_term::{Func, Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Expressions that would be longer than this are not written.
const LIMIT: usize = 4000;
/// Formulas that are nested more deeply are not written.
const MOST_NESTED: usize = 100;

/// Writes formulas as C expressions.
pub struct Expressions<'a> {
    store: &'a Store,
    names: FxHashMap<Func, &'a str>,
    /// The type that operands of arithmetic are converted to.
    cast: Option<&'a str>,
    /// Are elements of arrays written?
    has_elements: bool,
}

/// How tightly an expression binds, from the loosest.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Conditional,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
}

impl<'a> Expressions<'a> {
    /// Expressions over the variables of a program; operands of arithmetic are converted to `cast`, if given.
    pub fn new(store: &'a Store, program: &'a Program, cast: Option<&'a str>) -> Expressions<'a> {
        let name = |v: &'a bolide_model::Variable| {
            Some((store.as_var(v.term)?, v.name.rsplit_once("::").map_or(v.name.as_str(), |(_, name)| name)))
        };
        let names = program.vars.iter().filter_map(name).filter(|(_, name)| is_plain(name));
        Expressions { store, names: names.collect(), cast, has_elements: false }
    }

    /// Calls some variables or other constants by these names.
    pub fn rename(&mut self, names: impl IntoIterator<Item = (Func, &'a str)>) {
        self.names.extend(names);
    }

    /// Writes elements of arrays, for readers.
    pub fn write_elements(&mut self) {
        self.has_elements = true;
    }

    /// A formula or an integer term as an expression.
    pub fn write(&self, t: Term) -> Option<String> {
        let (text, _) = self.term(t, 0)?;
        Some(text)
    }

    /// An expression that may stand where operands bind as tightly as `at`.
    fn operand(&self, t: Term, at: Binding, depth: usize) -> Option<String> {
        let (text, binding) = self.term(t, depth + 1)?;
        Some(if binding > at { text } else { format!("({text})") })
    }

    fn term(&self, t: Term, depth: usize) -> Option<(String, Binding)> {
        if depth > MOST_NESTED {
            return None;
        }
        let store = self.store;
        let args = store.args(t);
        let out = match store.op(t) {
            Op::True => ("1".into(), Binding::Unary),
            Op::False => ("0".into(), Binding::Unary),
            Op::Not => self.negation(args[0], depth)?,
            Op::And => (self.join(args, " && ", Binding::And, depth)?, Binding::And),
            Op::Or => (self.join(args, " || ", Binding::Or, depth)?, Binding::Or),
            Op::Le => {
                (self.comparison(&store.linear_difference(args[0], args[1]), "<=", depth)?, Binding::Compare)
            }
            Op::Eq if store.sort_of(args[0]).is_arith() => {
                (self.comparison(&store.linear_difference(args[0], args[1]), "==", depth)?, Binding::Compare)
            }
            Op::Eq if store.sort_of(args[0]) == Sort::BOOL => {
                let sides: Option<Vec<String>> =
                    args.iter().map(|&a| Some(format!("!({})", self.term(a, depth + 1)?.0))).collect();
                (sides?.join(" == "), Binding::Compare)
            }
            Op::Ite => {
                let parts: Option<Vec<String>> =
                    args.iter().map(|&a| self.operand(a, Binding::Conditional, depth)).collect();
                let parts = parts?;
                (format!("{} ? {} : {}", parts[0], parts[1], parts[2]), Binding::Conditional)
            }
            Op::Num(_) => {
                let n = store.as_num(t)?;
                if !n.is_integer() {
                    return None;
                }
                let binding = if n.is_negative() { Binding::Sum } else { Binding::Unary };
                (n.to_string(), binding)
            }
            Op::Add | Op::Mul => (self.sum(&store.linear(t), depth)?, Binding::Sum),
            Op::Select if self.has_elements && store.as_var(args[0]).is_some() => {
                let (array, index) = (self.term(args[0], depth + 1)?.0, self.term(args[1], depth + 1)?.0);
                (format!("{array}[{index}]"), Binding::Unary)
            }
            // What a comparison says of NaN is another thing in C.
            Op::Apply(_) if store.sort_of(t) == Sort::REAL => return None,
            // C rounds towards zero; a floor has no operator.
            Op::Apply(f) if args.is_empty() => (self.names.get(&f)?.to_string(), Binding::Unary),
            _ => return None,
        };
        (out.0.len() <= LIMIT).then_some(out)
    }

    fn join(&self, args: &[Term], by: &str, binding: Binding, depth: usize) -> Option<String> {
        let parts: Option<Vec<String>> = args.iter().map(|&a| self.operand(a, binding, depth)).collect();
        Some(parts?.join(by))
    }

    fn negation(&self, t: Term, depth: usize) -> Option<(String, Binding)> {
        let store = self.store;
        let args = store.args(t);
        match store.op(t) {
            Op::Le => {
                let mut difference = store.linear_difference(args[0], args[1]);
                let mut op = ">";
                // `x > -1` reads better as `x >= 0`, and `n + 1 > i` as `n >= i`.
                let less = difference.constant.clone() - Rational::from(1);
                if store.sort_of(args[0]) == Sort::INT && less.abs() < difference.constant.abs() {
                    (difference.constant, op) = (less, ">=");
                }
                Some((self.comparison(&difference, op, depth)?, Binding::Compare))
            }
            Op::Eq if store.sort_of(args[0]).is_arith() => {
                let text = self.comparison(&store.linear_difference(args[0], args[1]), "!=", depth)?;
                Some((text, Binding::Compare))
            }
            Op::And => Some((self.join_negations(args, " || ", Binding::Or, depth)?, Binding::Or)),
            Op::Or => Some((self.join_negations(args, " && ", Binding::And, depth)?, Binding::And)),
            _ => Some((format!("!{}", self.operand(t, Binding::Product, depth)?), Binding::Unary)),
        }
    }

    fn join_negations(&self, args: &[Term], by: &str, binding: Binding, depth: usize) -> Option<String> {
        if depth > MOST_NESTED {
            return None;
        }
        let part = |&a: &Term| {
            let (text, own) = match self.store.op(a) {
                Op::Not => self.term(self.store.args(a)[0], depth + 1)?,
                _ => self.negation(a, depth + 1)?,
            };
            Some(if own > binding { text } else { format!("({text})") })
        };
        let parts: Option<Vec<String>> = args.iter().map(part).collect();
        Some(parts?.join(by)).filter(|text| text.len() <= LIMIT)
    }

    /// `l op 0`, with positive terms on both sides.
    fn comparison(&self, l: &Linear, op: &str, depth: usize) -> Option<String> {
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (t, c) in &l.terms {
            match c.is_negative() {
                true => right.terms.push((*t, -c.clone())),
                false => left.terms.push((*t, c.clone())),
            }
        }
        if left.terms.is_empty() {
            left.constant = l.constant.clone();
        } else {
            right.constant = -l.constant.clone();
        }
        if !right.terms.is_empty() && right.constant.is_negative() && !left.terms.is_empty() {
            left.constant = -std::mem::replace(&mut right.constant, Rational::ZERO);
        }
        Some(format!("{} {op} {}", self.sum(&left, depth)?, self.sum(&right, depth)?))
    }

    fn sum(&self, l: &Linear, depth: usize) -> Option<String> {
        let mut out = String::new();
        let is_single = l.terms.len() == 1 && l.constant.is_zero() && l.terms[0].1.is_one();
        for (n, (t, c)) in l.terms.iter().enumerate() {
            if !c.is_integer() {
                return None;
            }
            let base = self.operand(*t, Binding::Product, depth)?;
            let base = match self.cast {
                Some(ty) if !is_single => format!("({ty}){base}"),
                _ => base,
            };
            let size = c.abs();
            let term = if size.is_one() { base } else { format!("{size} * {base}") };
            match (n, c.is_negative()) {
                (0, false) => out = term,
                (0, true) => out = format!("-{term}"),
                (_, false) => out = format!("{out} + {term}"),
                (_, true) => out = format!("{out} - {term}"),
            }
        }
        if !l.constant.is_integer() {
            return None;
        }
        if out.is_empty() {
            return Some(l.constant.to_string());
        }
        match () {
            () if l.constant.is_zero() => Some(out),
            () if l.constant.is_negative() => Some(format!("{out} - {}", l.constant.abs())),
            () => Some(format!("{out} + {}", l.constant)),
        }
    }
}

/// Is it a name that C has? Parts of objects and copies of variables have others.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_model::VarKind;

    #[test]
    fn formulas_read_like_c() {
        let mut s = Store::new();
        let mut program = Program::new("main");
        let [x, y] = ["main::x", "main::y"].map(|name| {
            let v = program.variable(&mut s, name, Sort::INT, VarKind::Global, None);
            program.vars[v].term
        });
        let [zero, one, five] = [0, 1, 5].map(|n| s.int(n));
        let next = s.add(&[x, one]);
        let (negative, above, behind) = (s.lt(x, zero), s.lt(five, x), s.le(next, y));
        let both = s.and(&[negative, behind]);
        let either = s.or(&[negative, above]);
        let (not_both, neither) = (s.not(both), s.not(either));
        let not_negative = s.not(negative);
        let not_behind = s.not(behind);
        let mixed = s.and(&[not_both, above]);
        let not_mixed = s.not(mixed);
        let write = |t: Term| Expressions::new(&s, &program, None).write(t).expect("it can be written");
        assert_eq!(write(not_negative), "x >= 0");
        assert_eq!(write(not_behind), "x >= y");
        assert_eq!(write(above), "x > 5");
        assert_eq!(write(neither), "x >= 0 && x <= 5");
        assert_eq!(write(not_both).matches("||").count(), 1);
        assert_eq!(write(not_mixed).matches("&&").count(), 1);
    }
}
