//! Values of terms, and atoms of arithmetic.
//!
//! `la_generic` knows sums, differences, numbers and multiples of terms by numbers. Other operators are replaced by their values first
//! (*flattening*), each by a simplification of its own.

use super::prove::Prover;
use super::terms::Id;
use super::values::{Worth, is_constant, is_real};

impl Prover {
    fn is_number(&mut self, t: Id) -> bool {
        matches!(self.values.of(&mut self.terms, t), Some(Worth::Number(_)))
    }

    /// An atom of a theory: the unit clause that it is true, or that it is false.
    pub(super) fn prove_atom(&mut self, t: Id, sign: bool) -> Option<usize> {
        let (op, args) = self.terms.parts(t);
        match (&*op, &*args) {
            (op @ ("=" | "<" | "<=" | ">" | ">="), &[a, b]) if self.is_number(a) && self.is_number(b) => {
                let op = op.to_string();
                let (left, right) = (self.flatten(a)?, self.flatten(b)?);
                let flat = self.terms.app(&op, &[left.0, right.0]);
                let unit = match (&*op, sign) {
                    ("=", true) => self.equal_numbers(left.0, right.0),
                    _ => self.compare(flat, sign),
                };
                let premises: Vec<usize> = left.1.into_iter().chain(right.1).collect();
                if premises.is_empty() {
                    return Some(unit);
                }
                let equality = self.terms.eq(t, flat);
                let same = self.step(vec![equality], "cong", premises);
                Some(self.transfer((flat, t), true, same, sign, unit))
            }
            ("=", &[a, b]) if sign => {
                let (x, y) = (self.value_term(a, false)?, self.value_term(b, false)?);
                if x != y {
                    return Some(self.hole(t, sign));
                }
                let same = self.terms.eq(x, x);
                let unit = self.step(vec![same], "refl", Vec::new());
                if same == t {
                    return Some(unit);
                }
                let congruent = self.congruent(t, same)?;
                Some(self.transfer((same, t), true, congruent, true, unit))
            }
            _ => Some(self.hole(t, sign)),
        }
    }

    fn hole(&mut self, t: Id, sign: bool) -> usize {
        let literal = self.literal(t, sign);
        self.step(vec![literal], "hole", Vec::new())
    }

    /// A comparison of linear terms without variables, or its negation.
    fn compare(&mut self, t: Id, sign: bool) -> usize {
        let literal = self.literal(t, sign);
        self.step_with(vec![literal], "la_generic", Vec::new(), vec!["1".into()])
    }

    /// The equality of two linear terms without variables.
    fn equal_numbers(&mut self, a: Id, b: Id) -> usize {
        let equality = self.terms.eq(a, b);
        if a == b {
            return self.step(vec![equality], "refl", Vec::new());
        }
        let (op, args) = self.terms.parts(a);
        if !args.is_empty()
            && is_constant(&self.terms, b)
            && args.iter().all(|&x| is_constant(&self.terms, x))
        {
            match &*op {
                "+" => return self.step(vec![equality], "sum_simplify", Vec::new()),
                "*" => return self.step(vec![equality], "prod_simplify", Vec::new()),
                _ => {}
            }
        }
        let (below, above) = (self.terms.app("<=", &[a, b]), self.terms.app("<=", &[b, a]));
        let clause = vec![equality, self.terms.not(below), self.terms.not(above)];
        let either = self.terms.app("or", &clause);
        let axiom = self.step(vec![either], "la_disequality", Vec::new());
        let axiom = self.step(clause, "or", vec![axiom]);
        let (below, above) = (self.compare(below, true), self.compare(above, true));
        self.step(vec![equality], "resolution", vec![axiom, below, above])
    }

    /// A linear term that is the same as a number, and the step that says so, if it is another one.
    fn flatten(&mut self, t: Id) -> Option<(Id, Option<usize>)> {
        if is_constant(&self.terms, t) {
            return Some((t, None));
        }
        let (op, args) = self.terms.parts(t);
        let is_linear = match (&*op, &*args) {
            ("+" | "-", [_, ..]) => true,
            ("*", &[a, b]) => is_constant(&self.terms, a) || is_constant(&self.terms, b),
            _ => false,
        };
        if !is_linear {
            let value = self.value_term(t, is_real(&self.terms, t))?;
            let step = self.operator_value(t, value)?;
            return Some((value, step));
        }
        let (mut flat, mut premises) = (Vec::new(), Vec::new());
        for &a in args.iter() {
            let (term, step) = self.flatten(a)?;
            flat.push(term);
            premises.extend(step);
        }
        if premises.is_empty() {
            return Some((t, None));
        }
        let new = self.terms.app(&op, &flat);
        let equality = self.terms.eq(t, new);
        Some((new, Some(self.step(vec![equality], "cong", premises))))
    }

    /// The step that a term has a value; the two are different terms.
    pub(super) fn equal_value(&mut self, t: Id, value: Id) -> Option<usize> {
        let equality = self.terms.eq(t, value);
        if let Some(&known) = self.equalities.get(&equality) {
            return Some(known);
        }
        let step = match self.values.of(&mut self.terms, t)? {
            Worth::Bool(b) => {
                let unit = self.prove(t, b)?;
                let constant = self.prove(value, b)?;
                let clause = vec![equality, self.literal(t, !b), self.literal(value, !b)];
                let rule = if b { "equiv_neg1" } else { "equiv_neg2" };
                self.resolve((clause, rule, None), vec![unit, constant], equality)
            }
            Worth::Number(_) => match self.flatten(t)? {
                (flat, None) => self.equal_numbers(flat, value),
                (flat, Some(step)) if flat == value => step,
                (flat, Some(step)) => {
                    let last = self.equal_numbers(flat, value);
                    self.step(vec![equality], "trans", vec![step, last])
                }
            },
            Worth::Other(_) => self.operator_value(t, value)?.unwrap_or_else(|| self.hole(equality, true)),
        };
        self.equalities.insert(equality, step);
        Some(step)
    }

    /// The step that a term whose operator is none of linear arithmetic has a value, if the two are different.
    fn operator_value(&mut self, t: Id, value: Id) -> Option<Option<usize>> {
        if t == value {
            return Some(None);
        }
        let equality = self.terms.eq(t, value);
        if let Some(&known) = self.equalities.get(&equality) {
            return Some(Some(known));
        }
        let (op, args) = self.terms.parts(t);
        let rule = match (&*op, &*args) {
            ("ite", &[c, a, b]) => return self.choice_value(t, [c, a, b], value).map(Some),
            ("*", [_, ..]) => "prod_simplify",
            ("div", &[_, _]) | ("/", &[_, _]) => "div_simplify",
            ("mod", &[_, _]) => "mod_simplify",
            _ => return Some(Some(self.hole(equality, true))),
        };
        let mut values = Vec::with_capacity(args.len());
        for &a in args.iter() {
            let is_real = is_real(&self.terms, a);
            values.push(self.value_term(a, is_real)?);
        }
        let new = self.terms.app(&op, &values);
        let mut steps = Vec::new();
        if new != t {
            steps.push(self.congruent(t, new)?);
        }
        if new != value {
            let simple = self.terms.eq(new, value);
            steps.push(self.step(vec![simple], rule, Vec::new()));
        }
        let step = match steps[..] {
            [only] => only,
            _ => self.step(vec![equality], "trans", steps),
        };
        self.equalities.insert(equality, step);
        Some(Some(step))
    }

    /// The step that a choice has a value.
    fn choice_value(&mut self, t: Id, [c, a, b]: [Id; 3], value: Id) -> Option<usize> {
        let condition = self.truth(c)?;
        let constant = self.terms.atom(if condition { "true" } else { "false" });
        let chosen = if condition { a } else { b };
        let mut steps = Vec::new();
        let decided = self.terms.app("ite", &[constant, a, b]);
        if decided != t {
            steps.push(self.congruent(t, decided)?);
        }
        let simple = self.terms.eq(decided, chosen);
        steps.push(self.step(vec![simple], "ite_simplify", Vec::new()));
        if chosen != value {
            steps.push(self.equal_value(chosen, value)?);
        }
        if let [only] = steps[..] {
            return Some(only);
        }
        let equality = self.terms.eq(t, value);
        Some(self.step(vec![equality], "trans", steps))
    }
}
