//! Applications: checking the sorts of arguments, coercing Int to Real, and building the term.
//!
//! The arguments are the operands from number `first` on; coercions replace them in place.

use super::builtin::Builtin;
use super::term::{Head, Parser};
use crate::error::{Error, Span};
use crate::print::print_sort;
use bolide_base::{Rational, UBig};
use bolide_term::{Sort, Store, Substitution, Term};

/// `distinct` is written out pairwise, so the number of its arguments is limited.
const MAX_DISTINCT: usize = 4096;

/// Equality; a single bit compared with a constant is that bit as a truth value, which is how the printer writes it.
fn equality(store: &mut Store, a: Term, b: Term) -> Term {
    if store.bv_width(store.sort_of(a)) == Some(1) {
        for (constant, bit) in [(a, b), (b, a)] {
            if let Some(value) = store.bv_value(constant) {
                let bit = store.bv_bit(0, bit);
                return if value == UBig::ONE { bit } else { store.not(bit) };
            }
        }
    }
    store.eq(a, b)
}

/// A constructor with two arguments.
pub(super) type Binary = fn(&mut Store, Term, Term) -> Term;

impl Parser<'_, '_> {
    /// The value of an application that closes now.
    pub(super) fn apply(&mut self, head: Head, first: usize, span: Span) -> Result<Term, Error> {
        match head {
            Head::Builtin(builtin) => self.apply_builtin(builtin, first, span),
            Head::Indexed(indexed, i, j) => self.apply_indexed(indexed, i, j, first, span),
            Head::Func(f) => {
                self.arity(first, self.store.decl(f).args.len(), head, span)?;
                for i in 0..self.store.decl(f).args.len() {
                    let sort = self.store.decl(f).args[i];
                    self.expect_argument(first, i, sort, head)?;
                }
                Ok(self.store.apply(f, &self.stacks.terms[first..]))
            }
            Head::Macro(n) => self.expand(n, first, span),
            Head::ConstArray(sort) => {
                self.arity(first, 1, head, span)?;
                if let Some((_, element)) = self.store.array_sorts(sort) {
                    self.expect_argument(first, 0, element, head)?;
                }
                Ok(self.store.const_array(sort, self.stacks.terms[first]))
            }
            Head::Constructor(place, sort) => self.apply_constructor(place, sort, first, span),
            Head::Selector(place, field) => self.apply_selector(place, field, first, span),
            Head::Tester(place) => self.apply_tester(place, first, span),
            Head::Divisible(divisor) => {
                self.arity(first, 1, head, span)?;
                self.expect_argument(first, 0, Sort::INT, head)?;
                let rest = self.store.modulo(self.stacks.terms[first], divisor);
                let zero = self.store.int(0);
                Ok(self.store.eq(rest, zero))
            }
        }
    }

    /// A defined function applied to arguments.
    fn expand(&mut self, n: usize, first: usize, span: Span) -> Result<Term, Error> {
        let head = Head::Macro(n);
        self.arity(first, self.scope.macros[n].params.len(), head, span)?;
        let mut substitution = Substitution::new();
        for i in 0..self.scope.macros[n].params.len() {
            let param = self.scope.macros[n].params[i];
            self.expect_argument(first, i, self.store.sort_of(param), head)?;
            substitution.insert(param, self.stacks.terms[first + i]);
        }
        for i in 0..self.scope.macros[n].bound.len() {
            let old = self.scope.macros[n].bound[i];
            let Some(f) = self.store.as_var(old) else { continue };
            let (name, sort) = (self.store.decl(f).name.clone(), self.store.sort_of(old));
            let new = self.bound_variable(&name, sort);
            substitution.insert(old, new);
        }
        Ok(substitution.apply(self.store, self.scope.macros[n].body))
    }

    fn apply_builtin(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        use Builtin::*;
        let head = Head::Builtin(builtin);
        match builtin {
            True | False => Err(Error::new(span, format!("`{}` takes no arguments", builtin.name()))),
            Not | And | Or | Xor | Implies | ImpliesWord => self.apply_connective(builtin, first, span),
            Eq | Distinct => self.apply_equality(builtin, first, span),
            Ite => {
                self.arity(first, 3, head, span)?;
                self.expect_argument(first, 0, Sort::BOOL, head)?;
                self.unify(first, 1, head)?;
                let [c, a, b] = self.arguments(first);
                Ok(self.store.ite(c, a, b))
            }
            Add | Sub | Neg | Mul | RealDiv | Div | Mod | Abs => self.apply_arithmetic(builtin, first, span),
            Le => self.apply_comparison(Store::le, first, head, span),
            Lt => self.apply_comparison(Store::lt, first, head, span),
            Ge => self.apply_comparison(Store::ge, first, head, span),
            Gt => self.apply_comparison(Store::gt, first, head, span),
            ToReal => self.apply_unary(Store::to_real, Sort::INT, first, head, span),
            ToInt => self.apply_unary(Store::to_int, Sort::REAL, first, head, span),
            IsInt => self.apply_unary(Store::is_int, Sort::REAL, first, head, span),
            ArraySelect | ArrayStore => self.apply_array(builtin, first, span),
            _ if builtin.is_float() => self.apply_float(builtin, first, span),
            _ => self.apply_bit_vector(builtin, first, span),
        }
    }

    fn apply_connective(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        let head = Head::Builtin(builtin);
        for i in 0..self.count(first) {
            self.expect_argument(first, i, Sort::BOOL, head)?;
        }
        match builtin {
            Builtin::Not => {
                self.arity(first, 1, head, span)?;
                Ok(self.store.not(self.stacks.terms[first]))
            }
            Builtin::And => Ok(self.store.and(&self.stacks.terms[first..])),
            Builtin::Or => Ok(self.store.or(&self.stacks.terms[first..])),
            Builtin::Xor => {
                self.arity_at_least(first, 2, head, span)?;
                Ok(self.fold_left(first, Store::xor))
            }
            _ => {
                self.arity_at_least(first, 2, head, span)?;
                // a => b => c is not a or not b or c.
                let last = self.stacks.terms.len() - 1;
                for term in &mut self.stacks.terms[first..last] {
                    *term = self.store.not(*term);
                }
                Ok(self.store.or(&self.stacks.terms[first..]))
            }
        }
    }

    fn apply_equality(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        let head = Head::Builtin(builtin);
        if builtin == Builtin::Eq {
            self.arity_at_least(first, 2, head, span)?;
            self.unify(first, 0, head)?;
            return Ok(self.chain(first, equality));
        }
        self.arity_at_least(first, 1, head, span)?;
        self.unify(first, 0, head)?;
        if self.count(first) > MAX_DISTINCT {
            let message = format!("`distinct` with more than {MAX_DISTINCT} arguments is not supported");
            return Err(Error::new(span, message));
        }
        Ok(self.store.distinct(&self.stacks.terms[first..]))
    }

    fn apply_arithmetic(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        let head = Head::Builtin(builtin);
        self.arity_at_least(first, 1, head, span)?;
        match builtin {
            Builtin::Add | Builtin::Mul => {
                self.unify_numbers(first, head)?;
                let args = &self.stacks.terms[first..];
                Ok(if builtin == Builtin::Add { self.store.add(args) } else { self.store.mul(args) })
            }
            Builtin::Sub if self.count(first) > 1 => {
                self.unify_numbers(first, head)?;
                let subtrahend = self.store.add(&self.stacks.terms[first + 1..]);
                Ok(self.store.sub(self.stacks.terms[first], subtrahend))
            }
            Builtin::Sub | Builtin::Neg | Builtin::Abs => {
                self.arity(first, 1, head, span)?;
                self.unify_numbers(first, head)?;
                let arg = self.stacks.terms[first];
                Ok(if builtin == Builtin::Abs { self.store.abs(arg) } else { self.store.neg(arg) })
            }
            _ => {
                self.arity_at_least(first, 2, head, span)?;
                let (sort, operation): (Sort, Binary) = match builtin {
                    Builtin::RealDiv => (Sort::REAL, Store::real_div),
                    Builtin::Div => (Sort::INT, Store::div),
                    _ => (Sort::INT, Store::modulo),
                };
                if builtin == Builtin::Mod {
                    self.arity(first, 2, head, span)?;
                }
                for i in 0..self.count(first) {
                    self.expect_argument(first, i, sort, head)?;
                }
                Ok(self.fold_left(first, operation))
            }
        }
    }

    fn apply_comparison(
        &mut self,
        relation: Binary,
        first: usize,
        head: Head,
        span: Span,
    ) -> Result<Term, Error> {
        self.arity_at_least(first, 2, head, span)?;
        self.unify_numbers(first, head)?;
        Ok(self.chain(first, relation))
    }

    fn apply_unary(
        &mut self,
        operation: fn(&mut Store, Term) -> Term,
        sort: Sort,
        first: usize,
        head: Head,
        span: Span,
    ) -> Result<Term, Error> {
        self.arity(first, 1, head, span)?;
        // `to_real` of a Real is that Real, as other readers have it.
        let is_real = self.store.sort_of(self.stacks.terms[first]) == Sort::REAL;
        if !(sort == Sort::INT && is_real) {
            self.expect_argument(first, 0, sort, head)?;
        }
        Ok(operation(self.store, self.stacks.terms[first]))
    }

    fn apply_array(&mut self, builtin: Builtin, first: usize, span: Span) -> Result<Term, Error> {
        let head = Head::Builtin(builtin);
        self.arity(first, if builtin == Builtin::ArraySelect { 2 } else { 3 }, head, span)?;
        let array = self.stacks.terms[first];
        let Some((index, element)) = self.store.array_sorts(self.store.sort_of(array)) else {
            return Err(self.argument_error(first, 0, "an array", head));
        };
        self.expect_argument(first, 1, index, head)?;
        if builtin == Builtin::ArraySelect {
            return Ok(self.store.select(array, self.stacks.terms[first + 1]));
        }
        self.expect_argument(first, 2, element, head)?;
        let [a, i, v] = self.arguments(first);
        Ok(self.store.store(a, i, v))
    }

    /// The number of arguments.
    pub(super) fn count(&self, first: usize) -> usize {
        self.stacks.terms.len() - first
    }

    /// So many arguments, which have been counted before.
    pub(super) fn arguments<const N: usize>(&self, first: usize) -> [Term; N] {
        std::array::from_fn(|i| self.stacks.terms[first + i])
    }

    /// `(f (f a b) c)` for arguments `a b c`.
    pub(super) fn fold_left(&mut self, first: usize, operation: Binary) -> Term {
        let mut value = self.stacks.terms[first];
        for &argument in &self.stacks.terms[first + 1..] {
            value = operation(self.store, value, argument);
        }
        value
    }

    /// `(and (r a b) (r b c))` for arguments `a b c`.
    pub(super) fn chain(&mut self, first: usize, relation: Binary) -> Term {
        let arguments = &self.stacks.terms[first..];
        if let [a, b] = *arguments {
            return relation(self.store, a, b);
        }
        let links: Vec<Term> = arguments.windows(2).map(|w| relation(self.store, w[0], w[1])).collect();
        self.store.and(&links)
    }

    /// There must be exactly so many arguments.
    pub(super) fn arity(&self, first: usize, arity: usize, head: Head, span: Span) -> Result<(), Error> {
        let count = self.count(first);
        if count == arity {
            return Ok(());
        }
        let (name, plural) = (self.head_name(head), if arity == 1 { "" } else { "s" });
        Err(Error::new(span, format!("{name} takes {arity} argument{plural}, not {count}")))
    }

    pub(super) fn arity_at_least(
        &self,
        first: usize,
        arity: usize,
        head: Head,
        span: Span,
    ) -> Result<(), Error> {
        let count = self.count(first);
        if count >= arity {
            return Ok(());
        }
        let (name, plural) = (self.head_name(head), if arity == 1 { "" } else { "s" });
        Err(Error::new(span, format!("{name} takes at least {arity} argument{plural}, not {count}")))
    }

    /// What is applied, for messages.
    pub(super) fn head_name(&self, head: Head) -> String {
        match head {
            Head::Builtin(builtin) => format!("`{}`", builtin.name()),
            Head::Indexed(indexed, ..) => format!("`{}`", indexed.name()),
            Head::Func(f) => format!("`{}`", self.store.decl(f).name),
            Head::Macro(n) => format!("`{}`", self.scope.macros[n].name),
            Head::ConstArray(_) => "`const`".to_owned(),
            Head::Divisible(_) => "`divisible`".to_owned(),
            Head::Constructor(place, _) => format!("`{}`", self.constructor_name(place).0),
            Head::Selector(place, field) => {
                format!("`{}`", self.constructor_name(place).1[field as usize].0)
            }
            Head::Tester(place) => format!("`(_ is {})`", self.constructor_name(place).0),
        }
    }

    /// The term at a sort, converted if it is an Int and the sort is Real, or if it is a numeral of a logic without Int
    /// after all used as one. Nothing if it has another sort.
    pub(super) fn coerced(&mut self, term: Term, sort: Sort) -> Option<Term> {
        let found = self.store.sort_of(term);
        if found == sort {
            return Some(term);
        }
        match (found, sort) {
            (Sort::INT, Sort::REAL) => Some(self.store.to_real(term)),
            (Sort::REAL, Sort::INT) if self.is_untyped_numeral(term) => Some(self.store.to_int(term)),
            _ => None,
        }
    }

    /// Is this a numeral that is a Real only because the logic says so?
    fn is_untyped_numeral(&self, term: Term) -> bool {
        self.scope.numerals_are_real && self.store.as_num(term).is_some_and(Rational::is_integer)
    }

    /// Operand number `operand` must have a sort, after coercion.
    pub(super) fn expect(&mut self, operand: usize, sort: Sort, place: &str) -> Result<(), Error> {
        let term = self.stacks.terms[operand];
        match self.coerced(term, sort) {
            Some(term) => {
                self.stacks.terms[operand] = term;
                Ok(())
            }
            None => Err(self.sort_mismatch(self.stacks.spans[operand], sort, term, place)),
        }
    }

    /// Argument number `i`, counted from 0, must have a sort, after coercion.
    #[inline]
    pub(super) fn expect_argument(
        &mut self,
        first: usize,
        i: usize,
        sort: Sort,
        head: Head,
    ) -> Result<(), Error> {
        let term = self.stacks.terms[first + i];
        if self.store.sort_of(term) == sort {
            return Ok(());
        }
        match self.coerced(term, sort) {
            Some(term) => {
                self.stacks.terms[first + i] = term;
                Ok(())
            }
            None => {
                let sort = print_sort(self.store, sort).to_string();
                Err(self.argument_error(first, i, &sort, head))
            }
        }
    }

    /// An argument does not have the sort that it should have.
    pub(super) fn argument_error(&self, first: usize, i: usize, expected: &str, head: Head) -> Error {
        let found = print_sort(self.store, self.store.sort_of(self.stacks.terms[first + i]));
        let place = self.head_name(head);
        let found = format!("{found} in argument {} of {place}", i + 1);
        Error::expected(self.stacks.spans[first + i], expected, found)
    }

    pub(super) fn sort_mismatch(&self, span: Span, sort: Sort, term: Term, place: &str) -> Error {
        let found = print_sort(self.store, self.store.sort_of(term));
        let expected = print_sort(self.store, sort).to_string();
        Error::expected(span, expected, format!("{found} in {place}"))
    }

    /// All arguments from number `from` on must have one sort, after coercion.
    pub(super) fn unify(&mut self, first: usize, from: usize, head: Head) -> Result<(), Error> {
        let sort = self.store.sort_of(self.stacks.terms[first + from]);
        let differs = |t: &Term| self.store.sort_of(*t) != sort;
        let Some(i) = self.stacks.terms[first + from..].iter().position(differs) else { return Ok(()) };
        let found = self.store.sort_of(self.stacks.terms[first + from + i]);
        if !(sort.is_arith() && found.is_arith()) {
            let sort = print_sort(self.store, sort).to_string();
            return Err(self.argument_error(first, from + i, &sort, head));
        }
        let common = self.common_number_sort(first + from);
        for i in from..self.count(first) {
            self.expect_argument(first, i, common, head)?;
        }
        Ok(())
    }

    /// Real, unless all Real operands from a position on are numerals that may as well be Int.
    fn common_number_sort(&self, from: usize) -> Sort {
        let is_real = |t: &Term| self.store.sort_of(*t) == Sort::REAL && !self.is_untyped_numeral(*t);
        if self.scope.numerals_are_real && !self.stacks.terms[from..].iter().any(is_real) {
            Sort::INT
        } else {
            Sort::REAL
        }
    }

    /// All arguments must be numbers, and of one sort after coercion.
    fn unify_numbers(&mut self, first: usize, head: Head) -> Result<(), Error> {
        let is_number = |t: &Term| self.store.sort_of(*t).is_arith();
        if let Some(i) = self.stacks.terms[first..].iter().position(|t| !is_number(t)) {
            let reals = self.stacks.terms[first..].iter().any(|t| self.store.sort_of(*t) == Sort::REAL);
            let expected = if reals || self.scope.numerals_are_real { "Real" } else { "Int" };
            return Err(self.argument_error(first, i, expected, head));
        }
        self.unify(first, 0, head)
    }
}
