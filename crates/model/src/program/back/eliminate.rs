//! Formulas without some of their symbols.
//!
//! A symbol goes away where an equation says what it is. What still speaks of it after that is dropped: the result says less,
//! but it follows.

use bolide_base::Rational;
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// What follows from some formulas about other symbols than these.
pub(in crate::program) fn without(
    store: &mut Store,
    symbols: &FxHashSet<Func>,
    parts: Vec<Term>,
) -> Vec<Term> {
    let mut out = Vec::with_capacity(parts.len());
    for part in solved(store, symbols, parts) {
        if !occurs(store, symbols, part) {
            out.push(part);
        } else if store.op(part) == Op::Or {
            let mut alternatives = Vec::new();
            for alternative in store.args(part).to_vec() {
                let mut parts = store.conjuncts(alternative);
                parts = solved(store, symbols, parts);
                parts.retain(|&p| !occurs(store, symbols, p));
                alternatives.push(store.and(&parts));
            }
            out.push(store.or(&alternatives));
        }
    }
    out.retain(|&part| part != store.tru());
    out
}

fn occurs(store: &Store, symbols: &FxHashSet<Func>, t: Term) -> bool {
    store.symbols([t]).iter().any(|f| symbols.contains(f))
}

/// The same formulas with the values of symbols that equations among them give.
fn solved(store: &mut Store, symbols: &FxHashSet<Func>, mut parts: Vec<Term>) -> Vec<Term> {
    let mut open = symbols.clone();
    let mut tried = 0;
    while let Some(&equation) = parts.get(tried) {
        tried += 1;
        let Some((symbol, value)) = solution(store, &open, equation) else { continue };
        let mut subst = Substitution::new();
        subst.insert(store.apply(symbol, &[]), value);
        open.remove(&symbol);
        parts.iter_mut().for_each(|part| *part = subst.apply(store, *part));
    }
    parts
}

/// What an equation says that one of some symbols is, without any of them.
fn solution(store: &mut Store, symbols: &FxHashSet<Func>, equation: Term) -> Option<(Func, Term)> {
    if store.op(equation) != Op::Eq || store.sort_of(store.arg(equation, 0)) != Sort::INT {
        return None;
    }
    let mut rest = store.linear_difference(store.arg(equation, 0), store.arg(equation, 1));
    let is_solvable = |(t, c): &(Term, Rational)| {
        c.abs().is_one() && store.as_var(*t).is_some_and(|f| symbols.contains(&f))
    };
    let at = rest.terms.iter().position(is_solvable)?;
    let (symbol, factor) = rest.terms.remove(at);
    if rest.terms.iter().any(|(t, _)| occurs(store, symbols, *t)) {
        return None;
    }
    // `x + rest = 0` or `-x + rest = 0`.
    if !factor.is_negative() {
        rest.constant = -rest.constant;
        rest.terms.iter_mut().for_each(|(_, c)| *c = -c.clone());
    }
    let value = store.from_linear(&rest, Sort::INT);
    Some((store.as_var(symbol)?, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_term::{Evaluator, Model, Value};
    use bolide_testkit::Random;

    fn atom(store: &mut Store, rng: &mut Random, vars: &[Term]) -> Term {
        let (x, y, c) = (vars[rng.below(3)], vars[rng.below(3)], store.int(rng.below(5) as i64 - 2));
        let sum = store.add(&[y, c]);
        match rng.below(4) {
            0 => store.le(x, sum),
            1 => store.le(sum, x),
            _ => store.eq(x, sum),
        }
    }

    /// What is left has none of the symbols, and it holds wherever the formulas hold.
    #[test]
    fn what_is_left_follows() {
        let mut rng = Random::new(0x0e11_3141_5926_5359);
        let (mut held, mut left) = (0, 0);
        for _ in 0..2000 {
            let mut store = Store::new();
            let vars = ["x", "y", "z"].map(|n| store.var(n, Sort::INT));
            let symbols: FxHashSet<Func> =
                vars[..1 + rng.below(2)].iter().filter_map(|&v| store.as_var(v)).collect();
            let mut parts = Vec::new();
            for _ in 0..1 + rng.below(3) {
                let mut alternatives = Vec::new();
                for _ in 0..1 + rng.below(2) {
                    let atoms = [atom(&mut store, &mut rng, &vars), atom(&mut store, &mut rng, &vars)];
                    alternatives.push(store.and(&atoms));
                }
                let part = store.or(&alternatives);
                parts.extend(store.conjuncts(part));
            }
            let rest = without(&mut store, &symbols, parts.clone());
            assert!(rest.iter().all(|&r| !occurs(&store, &symbols, r)));
            left += rest.len();
            for n in 0..125 {
                let mut model = Model::new();
                for (i, &v) in vars.iter().enumerate() {
                    let value = Rational::from(n / 5_i64.pow(i as u32) % 5 - 2);
                    model.set(store.as_var(v).expect("a variable"), Value::Num(value));
                }
                let mut evaluator = Evaluator::new(&store, &model);
                let mut holds = |list: &[Term]| list.iter().all(|&f| evaluator.holds(f) == Ok(true));
                if holds(&parts) {
                    held += 1;
                    assert!(holds(&rest));
                }
            }
        }
        assert!(held > 1000 && left > 1000, "{held} held, {left} left");
    }
}
