//! Checking interpretations, and finding the formulas that passes need to bring them back.

use crate::{Checked, Reason, ReasonCode, Replayed};
use bolide_base::Budget;
use bolide_itp::{Config, interpolate_sequence};
use bolide_model::horn::{Derivation, Horn, Interpretation, isolate};
use bolide_smt::{Answer, Solver, project};
use bolide_term::{Op, Store, Substitution, Term};
use rustc_hash::FxHashSet;

/// Does an interpretation make all clauses true? If not, or if a solver cannot tell, the reason.
pub fn check_interpretation(
    store: &mut Store,
    horn: &Horn,
    interpretation: Interpretation,
    budget: &Budget,
) -> Result<Checked<Interpretation>, Reason> {
    if let Err(text) = interpretation.folds.check(store) {
        return Err(Reason::new(ReasonCode::ProofRejected, format!("the folds are rejected: {text}")));
    }
    for proviso in interpretation.folds.provisos(store) {
        check_denial(store, &proviso.name, proviso.formulas, budget)?;
    }
    for n in 0..horn.clauses.len() {
        let parts = interpretation.denial(store, horn, n);
        for case in cases(store, &parts) {
            check_denial(store, &format!("clause {n}"), case, budget)?;
        }
    }
    Ok(Checked::new(interpretation))
}

/// Is it impossible that formulas hold together?
fn check_denial(store: &mut Store, name: &str, formulas: Vec<Term>, budget: &Budget) -> Result<(), Reason> {
    let mut solver = Solver::default();
    formulas.into_iter().for_each(|t| solver.assert(t));
    match solver.check(store, budget) {
        Answer::Unsat => Ok(()),
        Answer::Sat => {
            let text = format!("the interpretation does not satisfy {name}");
            Err(Reason::new(ReasonCode::ProofRejected, text))
        }
        Answer::Unknown(reason) => {
            let text = format!("{name} could not be checked: {reason}");
            Err(Reason::from(reason).with_text(text))
        }
    }
}

/// A conjunction as cases, of which one holds if and only if it does: what the first premise of a clause says is often a disjunction over the
/// locations of a program, and at each of them most of the clause is false by inspection.
fn cases(store: &mut Store, parts: &[Term]) -> Vec<Vec<Term>> {
    let disjuncts = match parts.get(1) {
        Some(&premise) if store.op(premise) == Op::Or => store.args(premise).to_vec(),
        _ => return vec![parts.to_vec()],
    };
    if disjuncts.len() > MAX_CASES {
        return vec![parts.to_vec()];
    }
    let mut out = Vec::with_capacity(disjuncts.len());
    for disjunct in disjuncts {
        // A constant that has one value is replaced by it; the case has a model if and only if what is left has one.
        let mut known = Substitution::new();
        let mut seen = FxHashSet::default();
        for conjunct in store.conjuncts(disjunct) {
            let found = match store.literal(conjunct) {
                (v, positive) if store.as_var(v).is_some() => Some((v, store.bool(positive))),
                (eq, true) if store.op(eq) == Op::Eq => {
                    let (a, b) = (store.arg(eq, 0), store.arg(eq, 1));
                    let defines = |v: Term, t: Term| store.as_var(v).is_some() && store.is_value(t);
                    if defines(a, b) { Some((a, b)) } else { defines(b, a).then_some((b, a)) }
                }
                _ => None,
            };
            if let Some((v, value)) = found
                && seen.insert(v)
            {
                known.insert(v, value);
            }
        }
        let mut case = vec![disjunct];
        case.extend(parts.iter().enumerate().filter(|(n, _)| *n != 1).map(|(_, &t)| t));
        out.push(case.into_iter().map(|t| known.apply(store, t)).collect());
    }
    out
}

/// Is a derivation one of the system? If not, the reason.
pub fn check_derivation(
    store: &Store,
    horn: &Horn,
    derivation: Derivation,
) -> Result<Replayed<Derivation>, Reason> {
    match derivation.replay(store, horn) {
        Ok(_) => Ok(Replayed::new(derivation)),
        Err(e) => Err(Reason::new(ReasonCode::TraceRejected, format!("the derivation was rejected: {e}"))),
    }
}

/// A premise with more disjuncts is not checked case by case.
const MAX_CASES: usize = 64;

/// At most so many projections are joined before quantifier elimination gives up.
const MAX_PROJECTIONS: usize = 200;

/// A formula that is not larger than this need not be replaced by an interpolant.
const SMALL: usize = 60;
/// The effort for one interpolant.
const INTERPOLATION_STEPS: u64 = 5_000;

/// A formula that `a` implies, that contradicts `b`, in their common constants: one of the two if equations rid it of its
/// own constants, an interpolant, or else what quantifier elimination makes of `a`.
pub fn separate(store: &mut Store, a: Term, b: Term, budget: &Budget) -> Option<Term> {
    if a == store.fls() || b == store.tru() {
        return Some(store.fls());
    }
    if b == store.fls() {
        return Some(store.tru());
    }
    let (strong, weak) = (solve_locals(store, a, b), solve_locals(store, b, a));
    let mut ready = Vec::new();
    if local_constants(store, strong, b).is_empty() {
        ready.push(strong);
    }
    if local_constants(store, weak, a).is_empty() {
        ready.push(store.not(weak));
    }
    let size = |store: &Store, t: Term| store.dag_size([t]);
    let ready = ready.into_iter().min_by_key(|&t| size(store, t));
    if let Some(t) = ready.filter(|&t| size(store, t) <= SMALL) {
        return Some(t);
    }
    let config = Config { verify: false, ..Config::default() };
    let limited = budget.clone().with_steps(INTERPOLATION_STEPS);
    if let Ok(found) = interpolate_sequence(store, &[strong, weak], &config, &limited)
        && ready.is_none_or(|t| size(store, found[0]) < size(store, t))
        && separates(store, a, b, found[0], budget)
    {
        return Some(found[0]);
    }
    ready.or_else(|| eliminate(store, strong, b, budget))
}

/// Replaces constants of a formula that do not occur in another by what its conjuncts say that they are.
fn solve_locals(store: &mut Store, formula: Term, other: Term) -> Term {
    let mut formula = formula;
    let mut local: FxHashSet<Term> = local_constants(store, formula, other).into_iter().collect();
    loop {
        let conjuncts = store.conjuncts(formula);
        let is_local = |_: &Store, v: Term| local.contains(&v);
        let found = conjuncts.into_iter().find_map(|c| isolate(store, c, &is_local));
        let Some((v, t)) = found else { return formula };
        local.remove(&v);
        let mut subst = Substitution::new();
        subst.insert(v, t);
        formula = subst.apply(store, formula);
    }
}

/// The constants of one formula that do not occur in another.
fn local_constants(store: &Store, a: Term, b: Term) -> Vec<Term> {
    let shared: FxHashSet<_> = store.symbols([b]).into_iter().collect();
    store.post_order([a]).filter(|&t| store.as_var(t).is_some_and(|f| !shared.contains(&f))).collect()
}

fn separates(store: &mut Store, a: Term, b: Term, i: Term, budget: &Budget) -> bool {
    let denied = store.not(i);
    [[a, denied], [b, i]].into_iter().all(|parts| {
        let mut solver = Solver::default();
        parts.into_iter().for_each(|p| solver.assert(p));
        solver.check_unconfirmed(store, &[], budget) == Answer::Unsat
    })
}

/// The disjunction of the projections of `a` to the constants it shares with `b`.
fn eliminate(store: &mut Store, a: Term, b: Term, budget: &Budget) -> Option<Term> {
    let local = local_constants(store, a, b);
    without(store, a, &local, budget)
}

/// What a formula says about its other constants: the disjunction of its projections, if there are not too many.
pub(super) fn without(store: &mut Store, a: Term, local: &[Term], budget: &Budget) -> Option<Term> {
    let mut solver = Solver::default();
    solver.assert(a);
    let mut cases = Vec::new();
    for _ in 0..MAX_PROJECTIONS {
        match solver.check(store, budget) {
            Answer::Unsat => return Some(store.or(&cases)),
            Answer::Unknown(_) => return None,
            Answer::Sat => {}
        }
        let model = solver.model()?.clone();
        let literals = project(store, &[a], local, &model)?;
        let case = store.and(&literals);
        let other = store.not(case);
        solver.assert(other);
        cases.push(case);
    }
    None
}
