//! Split proofs: what is accepted, and what is rejected when one thing is changed.

use bolide_base::Rational;
use bolide_proof::{Literal, SplitProof, SplitRule, SplitStep, check_split};
use bolide_term::{Store, Term};

/// `x <= y - 2` in the first part, `z = y` in the second, `z <= x` in the third.
struct Example {
    store: Store,
    parts: Vec<Term>,
    proof: SplitProof,
}

fn step(part: usize, premises: &[usize], conclusion: Option<Literal>, rule: SplitRule) -> SplitStep {
    SplitStep { part, premises: premises.to_vec(), conclusion, rule }
}

fn combination(coeffs: &[i64]) -> SplitRule {
    SplitRule::Combination(coeffs.iter().map(|&c| Rational::from(c)).collect())
}

fn example() -> Example {
    let mut store = Store::new();
    let int = store.int_sort();
    let [x, y, z] = ["x", "y", "z"].map(|v| store.var(v, int));
    let two = store.int(2);
    let below = store.sub(y, two);
    let parts = vec![store.le(x, below), store.eq(z, y), store.le(z, x)];
    let (less, upper) = (store.lt(x, y), store.le(y, z));
    let derived = store.lt(x, z);
    let [a, b, c, less, upper, derived] =
        [parts[0], parts[1], parts[2], less, upper, derived].map(|t| Literal::of(&store, t));
    let steps = vec![
        step(0, &[], Some(a), SplitRule::Hypothesis),
        step(0, &[0], Some(less), combination(&[1, 1])),
        step(1, &[], Some(b), SplitRule::Hypothesis),
        step(1, &[2], Some(upper), SplitRule::Half),
        step(1, &[1, 3], Some(derived), combination(&[1, 1, 1])),
        step(2, &[], Some(c), SplitRule::Hypothesis),
        step(2, &[4, 5], None, combination(&[1, 1])),
    ];
    Example { store, parts, proof: SplitProof { steps } }
}

/// Everything but differences of two or more.
fn language(store: &Store, atom: Term) -> bool {
    let l = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    l.constant.abs() < Rational::from(2)
}

fn verdict(e: &mut Example) -> Result<(), String> {
    check_split(&mut e.store, &e.parts, &[], &e.proof, &language).map_err(|e| e.flaw.to_string())
}

fn rejected(change: impl FnOnce(&mut Example), reason: &str) {
    let mut e = example();
    change(&mut e);
    let found = verdict(&mut e);
    assert_eq!(found, Err(reason.to_string()));
}

#[test]
fn a_split_proof_is_accepted() {
    assert_eq!(verdict(&mut example()), Ok(()));
}

#[test]
fn wrong_steps_are_rejected() {
    rejected(|e| e.proof.steps[1].rule = combination(&[2, 1]), "the Farkas sum is not a contradiction");
    rejected(|e| e.proof.steps[3].premises = vec![1], "the inequality is not half of the equality");
    rejected(|e| e.proof.steps[3].rule = SplitRule::Transitivity, "the equalities do not hang together");
    rejected(|e| e.proof.steps[6].premises = vec![4], "one coefficient per literal is needed");
    rejected(|e| e.proof.steps[4].premises = vec![1, 5], "a step refers to a later one");
    rejected(|e| drop(e.proof.steps.pop()), "the last step is not a contradiction");
}

#[test]
fn steps_outside_their_part_are_rejected() {
    rejected(|e| e.proof.steps[4].part = 0, "a part does not see a symbol");
    rejected(|e| e.proof.steps[1].part = 1, "a fact outside the language travels");
}

#[test]
fn functions_and_arrays() {
    let mut s = Store::new();
    let int = s.int_sort();
    let array = s.array_sort(int, int);
    let f = s.func("f", &[int], int);
    let [i, j] = ["i", "j"].map(|v| s.var(v, int));
    let a = s.var("a", array);
    let (fi, fj) = (s.apply(f, &[i]), s.apply(f, &[j]));
    let seven = s.int(7);
    let written = s.store(a, i, seven);
    let (at_i, at_j, old_j) = (s.raw_select(written, i), s.raw_select(written, j), s.raw_select(a, j));
    let facts = [s.le(i, j), s.le(j, i), s.le(fi, fj), s.eq(at_i, seven), s.eq(at_j, old_j), s.lt(i, j)];
    let everything = [facts[0], facts[2], facts[3], facts[4]];
    let parts = vec![s.and(&everything)];
    let [le, ge, same, hit, miss, less] = facts.map(|t| Literal::of(&s, t));
    let hypothesis = |l| step(0, &[], Some(l), SplitRule::Hypothesis);
    let check = |s: &mut Store, steps: Vec<SplitStep>| {
        check_split(s, &parts, &[], &SplitProof { steps }, &|_, _| true).map_err(|e| e.flaw.to_string())
    };
    // None of these is a contradiction, but all steps up to there hold.
    let end = Err("the last step is not a contradiction".to_string());
    let congruence = step(0, &[0, 1], Some(same), SplitRule::Congruence(fi, fj));
    assert_eq!(check(&mut s, vec![hypothesis(le), hypothesis(ge), congruence]), end);
    assert_eq!(check(&mut s, vec![step(0, &[], Some(hit), SplitRule::Read(at_i))]), end);
    let past = |premises: &[usize]| step(0, premises, Some(miss), SplitRule::ReadPast(at_j));
    assert_eq!(check(&mut s, vec![hypothesis(less), past(&[0])]), end);
    let congruence = step(0, &[0], Some(same), SplitRule::Congruence(fi, fj));
    let unknown = Err("two arguments are not known to be equal".to_string());
    assert_eq!(check(&mut s, vec![hypothesis(le), congruence]), unknown);
    let unknown = Err("the indices are not known to differ".to_string());
    assert_eq!(check(&mut s, vec![hypothesis(le), past(&[0])]), unknown);
    let wrong = Err("the term does not read what was written".to_string());
    assert_eq!(check(&mut s, vec![step(0, &[], Some(miss), SplitRule::Read(at_j))]), wrong);
}
