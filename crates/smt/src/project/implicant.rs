//! Narrowing a formula to the literals that make it true in a model.

use super::Projector;
use bolide_term::{Evaluator, Op, Sort, Store, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Projector<'_> {
    /// Fills the conjunction with literals, true in the model, that imply the formulas.
    pub(super) fn narrow(&mut self, formulas: &[Term]) -> Option<()> {
        let mut todo: Vec<(Term, bool)> = formulas.iter().rev().map(|&f| (f, true)).collect();
        let mut seen = FxHashSet::default();
        let mut resolved: FxHashMap<Term, Term> = FxHashMap::default();
        while !todo.is_empty() {
            let mut atoms = Vec::new();
            {
                let mut evaluator = Evaluator::new(self.store, &self.model);
                while let Some((t, sign)) = todo.pop() {
                    if seen.insert(t) {
                        descend(self.store, &mut evaluator, t, sign, &mut todo, &mut atoms, &seen)?;
                    }
                }
            }
            // Choices and reads inside atoms bring conditions, which are narrowed in the next round.
            for (atom, sign) in atoms {
                let plain = self.resolve_atom(atom, &mut resolved, &mut todo)?;
                let literal = if sign { plain } else { self.store.not(plain) };
                match self.store.op(self.store.literal(literal).0) {
                    Op::And | Op::Or | Op::Ite => todo.push((literal, true)),
                    _ => self.literals.push(literal),
                }
            }
        }
        self.tidy();
        Some(())
    }

    /// The atom without choices between terms, and without reads over writes, divisions and remainders of what must
    /// disappear; the conditions under which that is the same are added to `conditions`.
    fn resolve_atom(
        &mut self,
        atom: Term,
        resolved: &mut FxHashMap<Term, Term>,
        conditions: &mut Vec<(Term, bool)>,
    ) -> Option<Term> {
        let mut stack = vec![atom];
        while let Some(&top) = stack.last() {
            if resolved.contains_key(&top) {
                stack.pop();
                continue;
            }
            if self.store.op(top) == Op::Ite && self.store.sort_of(top) != Sort::BOOL {
                let condition = self.store.arg(top, 0);
                let holds = self.value(condition)?.as_bool()?;
                let branch = self.store.arg(top, if holds { 1 } else { 2 });
                if let Some(&r) = resolved.get(&branch) {
                    conditions.push((condition, holds));
                    resolved.insert(top, r);
                    stack.pop();
                } else {
                    stack.push(branch);
                }
                continue;
            }
            let before = stack.len();
            stack.extend(self.store.args(top).iter().filter(|a| !resolved.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let args: Vec<Term> = self.store.args(top).iter().map(|a| resolved[a]).collect();
            let rebuilt = self.store.rebuild(top, &args);
            let plain = self.resolve_root(rebuilt, top == atom, conditions)?;
            resolved.insert(top, plain);
            stack.pop();
        }
        resolved.get(&atom).copied()
    }

    /// Resolves a read over a write, or a remainder or quotient, at the root of a term.
    fn resolve_root(
        &mut self,
        mut t: Term,
        is_atom: bool,
        conditions: &mut Vec<(Term, bool)>,
    ) -> Option<Term> {
        loop {
            if is_atom || self.gone_in(t).is_empty() {
                return Some(t);
            }
            match self.store.op(t) {
                Op::Select if self.store.op(self.store.arg(t, 0)) == Op::Store => {
                    let (written, at) = (self.store.arg(t, 0), self.store.arg(t, 1));
                    let parts = self.store.args(written).to_vec();
                    let same = self.value(parts[1])? == self.value(at)?;
                    let equal = self.store.eq(parts[1], at);
                    conditions.push((equal, same));
                    t = if same { parts[2] } else { self.store.select(parts[0], at) };
                }
                Op::Mod | Op::Div => {
                    let (a, m) = (self.store.arg(t, 0), self.store.arg(t, 1));
                    let Some(modulus) = self.store.as_num(m).filter(|m| m.is_positive()).cloned() else {
                        return Some(t);
                    };
                    let remainder = self.store.modulo(a, m);
                    let remainder = self.value(remainder)?;
                    let r = self.store.num(remainder.as_num()?.clone(), Sort::INT);
                    let rest = self.store.sub(a, r);
                    let divides = self.divides(&modulus, rest);
                    self.literals.push(divides);
                    if self.store.op(t) == Op::Mod {
                        return Some(r);
                    }
                    let Value::Num(quotient) = self.value(t)? else { return None };
                    // The quotient becomes a constant of its own: m * q = a - r.
                    let q = self.fresh(Sort::INT, Value::Num(quotient))?;
                    let product = self.store.scale(&modulus, q);
                    let equation = self.store.eq(product, rest);
                    self.literals.push(equation);
                    return Some(q);
                }
                _ => return Some(t),
            }
        }
    }
}

/// Handles one subformula whose value in the model is `sign`.
fn descend(
    store: &Store,
    evaluator: &mut Evaluator<'_>,
    t: Term,
    sign: bool,
    todo: &mut Vec<(Term, bool)>,
    atoms: &mut Vec<(Term, bool)>,
    seen: &FxHashSet<Term>,
) -> Option<()> {
    let args = store.args(t);
    match store.op(t) {
        Op::True | Op::False => {}
        Op::Not => todo.push((args[0], !sign)),
        Op::And | Op::Or if (store.op(t) == Op::And) == sign => {
            todo.extend(args.iter().rev().map(|&a| (a, sign)))
        }
        Op::And | Op::Or => {
            // One argument suffices; one that is needed anyway is best, then a small one.
            let mut best: Option<(Term, usize)> = None;
            for &a in args {
                if evaluator.eval(a).ok()?.as_bool()? == sign {
                    let cost = if seen.contains(&a) { 0 } else { 1 + weight(store, a) };
                    if best.is_none_or(|(_, c)| cost < c) {
                        best = Some((a, cost));
                    }
                }
            }
            todo.push((best?.0, sign));
        }
        Op::Ite => {
            let holds = evaluator.eval(args[0]).ok()?.as_bool()?;
            todo.push((args[if holds { 1 } else { 2 }], sign));
            todo.push((args[0], holds));
        }
        Op::Eq if store.sort_of(args[0]) == Sort::BOOL => {
            for &a in args {
                todo.push((a, evaluator.eval(a).ok()?.as_bool()?));
            }
        }
        _ => atoms.push((t, sign)),
    }
    Some(())
}

/// How much a subformula is likely to bring: a literal little, a conjunction much.
fn weight(store: &Store, t: Term) -> usize {
    let (atom, _) = store.literal(t);
    match store.op(atom) {
        Op::Apply(_) => 0,
        Op::And | Op::Or | Op::Ite => 2 + store.args(atom).len(),
        _ => 1,
    }
}
