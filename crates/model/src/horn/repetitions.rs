//! What is derived in rounds of a derivation that are not listed: the check of a [`Repetition`].
//!
//! Each constant of the clauses in a round has its closed form through the listed rounds. With these closed forms for values, the constraints must hold and
//! the premises must derive what the bodies ask for, from the last listed round on. That is shown for all rounds at once where terms are polynomials, by
//! their extremes; where it is not, rounds are executed one by one if they are not too many.

use super::{Derivation, Horn, ReplayError};
use crate::repetition::{ClosedForm, Polynomial, Repetition, SAMPLES};
use bolide_base::Rational;
use bolide_term::{Evaluator, Func, Model, Op, Store, Term, UBig, Value, eval_step};
use rustc_hash::FxHashMap;

/// More steps than this are not executed for all repetitions of a derivation.
pub(super) const MOST_EXECUTED: u64 = 50_000;

/// Where a premise of a step in a round is derived.
enum Source {
    /// By this step of the same round.
    Here(usize),
    /// By this step of the round before.
    Before(usize),
    /// Before all rounds.
    Outside(usize),
}

/// A step of a round.
struct Part {
    clause: usize,
    forms: Vec<(Func, ClosedForm)>,
    premises: Vec<Source>,
}

/// The fact that the last step of a repetition derives, where the facts of all steps up to it are known. What is executed for it is taken
/// from the steps that are `left`.
pub(super) fn derived(
    store: &Store,
    horn: &Horn,
    derivation: &Derivation,
    facts: &[Vec<Value>],
    repetition: &Repetition,
    left: &mut u64,
) -> Result<Vec<Value>, ReplayError> {
    let malformed = ReplayError::Repetition(repetition.last);
    let round = parts(store, horn, derivation, repetition).ok_or(malformed.clone())?;
    let last = (SAMPLES as u64 - 1).checked_add(repetition.times).ok_or(malformed.clone())?;
    if is_shown(store, horn, &round, facts, last) {
        // Nothing is left to be checked, so any way to compute the fact will do.
        let part = round.last().ok_or(malformed.clone())?;
        let values = part.values(last).ok_or(malformed.clone())?;
        return heads(store, horn, part, &values).ok_or(malformed);
    }
    let steps = repetition.times.saturating_mul(repetition.period as u64);
    *left = left.checked_sub(steps).ok_or(malformed.clone())?;
    let mut before: Vec<Vec<Value>> =
        facts[repetition.last + 1 - repetition.period..=repetition.last].to_vec();
    for n in SAMPLES as u64..=last {
        before = executed(store, horn, &round, facts, &before, n).ok_or(malformed.clone())?;
    }
    before.pop().ok_or(malformed)
}

/// The steps of a round with their closed forms; nothing if the listed rounds differ in more than values.
fn parts(store: &Store, horn: &Horn, derivation: &Derivation, repetition: &Repetition) -> Option<Vec<Part>> {
    let first = repetition.first()?;
    let last_round = repetition.last + 1 - repetition.period;
    let mut out = Vec::with_capacity(repetition.period);
    for at in last_round..=repetition.last {
        let samples: Vec<_> = (0..SAMPLES)
            .map(|k| derivation.steps.get(first + k * repetition.period + at - last_round))
            .collect();
        let step = derivation.steps.get(at)?;
        let same = |s: &Option<&super::DerivationStep>| s.is_some_and(|s| s.clause == step.clause);
        if !samples.iter().all(same) {
            return None;
        }
        let clause = horn.clauses.get(step.clause)?;
        let mut forms = Vec::new();
        for t in store.post_order(clause.terms()) {
            let Some(func) = store.as_var(t) else { continue };
            let default = Value::default_of(store, store.sort_of(t));
            let values: Vec<&Value> =
                samples.iter().flatten().map(|s| s.values.value(func).unwrap_or(&default)).collect();
            forms.push((func, ClosedForm::through(&values)?));
        }
        let source = |&p: &usize| match p {
            p if p >= last_round => Some(Source::Here(p - last_round)),
            p if p + repetition.period >= last_round => {
                Some(Source::Before(p + repetition.period - last_round))
            }
            p if p < first => Some(Source::Outside(p)),
            _ => None,
        };
        let premises: Option<Vec<Source>> = step.premises.iter().map(source).collect();
        out.push(Part { clause: step.clause, forms, premises: premises? });
    }
    Some(out)
}

impl Part {
    /// The values of the constants in a round.
    fn values(&self, round: u64) -> Option<Model> {
        let mut model = Model::new();
        for (func, form) in &self.forms {
            model.set(*func, form.at(round)?);
        }
        Some(model)
    }
}

/// The fact that a step derives.
fn heads(store: &Store, horn: &Horn, part: &Part, values: &Model) -> Option<Vec<Value>> {
    let mut evaluator = Evaluator::strict(store, values);
    let args = horn.clauses[part.clause].head.iter().flat_map(|h| &h.args);
    args.map(|&t| evaluator.eval(t).ok()).collect()
}

/// The facts that a round derives, after its steps were checked by evaluation.
fn executed(
    store: &Store,
    horn: &Horn,
    round: &[Part],
    facts: &[Vec<Value>],
    before: &[Vec<Value>],
    n: u64,
) -> Option<Vec<Vec<Value>>> {
    let mut here: Vec<Vec<Value>> = Vec::with_capacity(round.len());
    for part in round {
        let values = part.values(n)?;
        let clause = &horn.clauses[part.clause];
        let mut evaluator = Evaluator::strict(store, &values);
        if evaluator.holds(clause.constraint) != Ok(true) {
            return None;
        }
        for (atom, source) in clause.body.iter().zip(&part.premises) {
            let asked: Option<Vec<Value>> = atom.args.iter().map(|&t| evaluator.eval(t).ok()).collect();
            let fact = match *source {
                Source::Here(i) => here.get(i)?,
                Source::Before(i) => before.get(i)?,
                Source::Outside(i) => facts.get(i)?,
            };
            if asked? != *fact {
                return None;
            }
        }
        here.push(heads(store, horn, part, &values)?);
    }
    Some(here)
}

/// Can it be seen that all rounds are right, up to one that is the last?
fn is_shown(store: &Store, horn: &Horn, round: &[Part], facts: &[Vec<Value>], last: u64) -> bool {
    // The facts of the last listed round are the premises of the next one.
    let from = SAMPLES as u64 - 1;
    let mut known: Vec<Seen> = Vec::with_capacity(round.len());
    for part in round {
        let clause = &horn.clauses[part.clause];
        let roots = clause.terms();
        known.push(Seen::new(store, roots, &part.forms, (from, last)));
    }
    let args = |n: usize, terms: &[Term]| -> Option<Vec<InRounds>> {
        terms.iter().map(|t| known[n].of.get(t).cloned().filter(|v| *v != InRounds::Open)).collect()
    };
    let head = |n: usize| {
        let clause = &horn.clauses[round.get(n)?.clause];
        args(n, &clause.head.as_ref()?.args)
    };
    round.iter().enumerate().all(|(n, part)| {
        let clause = &horn.clauses[part.clause];
        let holds = known[n].of.get(&clause.constraint) == Some(&InRounds::Same(Value::Bool(true)));
        holds
            && clause.body.iter().zip(&part.premises).all(|(atom, source)| {
                let Some(asked) = args(n, &atom.args) else { return false };
                match *source {
                    Source::Here(i) => head(i) == Some(asked),
                    // The fact of a round is asked for in the next one.
                    Source::Before(i) => head(i) == Some(asked.iter().map(InRounds::next).collect()),
                    Source::Outside(i) => {
                        asked == facts[i].iter().map(InRounds::of_value).collect::<Vec<_>>()
                    }
                }
            })
    })
}

/// A value in all of some rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
enum InRounds {
    Number(Polynomial),
    /// A word of so many bits, by a polynomial modulo a power of two.
    Word(u32, Polynomial),
    Same(Value),
    /// Not known, or different without a rule.
    Open,
}

impl InRounds {
    fn of_value(value: &Value) -> InRounds {
        match value {
            Value::Num(n) => InRounds::Number(Polynomial::constant(n.clone())),
            value => InRounds::Same(value.clone()),
        }
    }

    /// A word, in the only form that it has.
    fn word(width: u32, p: Polynomial) -> InRounds {
        let p = p.modulo(&Rational::pow2(width));
        match p.as_constant().and_then(Rational::to_ibig).and_then(|n| UBig::try_from(n).ok()) {
            Some(value) => InRounds::Same(Value::Bv(width, value)),
            None => InRounds::Word(width, p),
        }
    }

    /// The polynomial of a word.
    fn residue(&self) -> Option<Polynomial> {
        match self {
            InRounds::Word(_, p) => Some(p.clone()),
            InRounds::Same(Value::Bv(_, value)) => Some(Polynomial::constant(value.clone().into())),
            _ => None,
        }
    }

    /// The value, if it is the same in all rounds.
    fn same(&self) -> Option<Value> {
        match self {
            InRounds::Number(p) => p.as_constant().map(|n| Value::Num(n.clone())),
            InRounds::Same(value) => Some(value.clone()),
            InRounds::Word(..) | InRounds::Open => None,
        }
    }

    /// What it is one round later.
    fn next(&self) -> InRounds {
        match self {
            InRounds::Number(p) => InRounds::Number(p.next()),
            InRounds::Word(width, p) => InRounds::word(*width, p.next()),
            other => other.clone(),
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            InRounds::Same(Value::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    fn of_truth(truth: Option<bool>) -> InRounds {
        truth.map_or(InRounds::Open, |b| InRounds::Same(Value::Bool(b)))
    }
}

/// The terms of a clause in all of some rounds.
struct Seen {
    of: FxHashMap<Term, InRounds>,
}

impl Seen {
    fn new(
        store: &Store,
        roots: impl IntoIterator<Item = Term>,
        forms: &[(Func, ClosedForm)],
        rounds: (u64, u64),
    ) -> Seen {
        let forms: FxHashMap<Func, &ClosedForm> = forms.iter().map(|(f, c)| (*f, c)).collect();
        let mut seen = Seen { of: FxHashMap::default() };
        for t in store.post_order(roots) {
            let value = match store.as_var(t).and_then(|f| forms.get(&f)) {
                Some(ClosedForm::Number(p)) => InRounds::Number(p.clone()),
                Some(ClosedForm::Same(value)) => InRounds::of_value(value),
                Some(ClosedForm::Word(width, p)) => InRounds::word(*width, p.clone()),
                None => seen.step(store, t, rounds),
            };
            seen.of.insert(t, value);
        }
        seen
    }

    fn step(&self, store: &Store, t: Term, rounds: (u64, u64)) -> InRounds {
        let args: Vec<&InRounds> = store.args(t).iter().map(|a| &self.of[a]).collect();
        let truths = || args.iter().map(|a| a.truth());
        match store.op(t) {
            Op::And | Op::Or => {
                let decisive = store.op(t) == Op::Or;
                let any = truths().any(|b| b == Some(decisive));
                let all = truths().all(|b| b == Some(!decisive));
                InRounds::of_truth(if any { Some(decisive) } else { all.then_some(!decisive) })
            }
            Op::Not => InRounds::of_truth(args[0].truth().map(|b| !b)),
            Op::Ite => match args[0].truth() {
                Some(true) => args[1].clone(),
                Some(false) => args[2].clone(),
                None if args[1] == args[2] => args[1].clone(),
                None => InRounds::Open,
            },
            Op::Forall | Op::Exists => InRounds::Open,
            op => match arithmetic(op, &args, rounds).or_else(|| words(store, t, &args, rounds)) {
                Some(value) => value,
                None => {
                    let same: Option<Vec<Value>> = args.iter().map(|a| a.same()).collect();
                    let Some(same) = same else { return InRounds::Open };
                    let terms = store.args(t);
                    let value = |a: Term| {
                        let at = terms.iter().position(|&b| b == a).unwrap_or(0);
                        &same[at]
                    };
                    eval_step(store, t, value).map_or(InRounds::Open, |v| InRounds::of_value(&v))
                }
            },
        }
    }
}

/// What arithmetic makes of polynomials; nothing if they are of no help.
fn arithmetic(op: Op, args: &[&InRounds], (first, last): (u64, u64)) -> Option<InRounds> {
    let numbers: Option<Vec<&Polynomial>> = args
        .iter()
        .map(|a| match a {
            InRounds::Number(p) => Some(p),
            _ => None,
        })
        .collect();
    let numbers = numbers.filter(|n| !n.is_empty())?;
    let one = Rational::ONE;
    let number = |p| Some(InRounds::Number(p));
    match (op, numbers.as_slice()) {
        (Op::Add, all) => {
            let zero = Polynomial::constant(Rational::ZERO);
            number(all.iter().fold(zero, |sum, p| sum.plus(p, &one)))
        }
        (Op::Mul, [a, b]) => {
            let (factor, p) = match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => (factor, b),
                (_, Some(factor)) => (factor, a),
                _ => return None,
            };
            number(Polynomial::constant(Rational::ZERO).plus(p, factor))
        }
        (Op::ToReal, [p]) => number((*p).clone()),
        (Op::Div | Op::Mod, [p, divisor]) => {
            let divisor = divisor.as_constant().filter(|d| !d.is_zero())?;
            // ClosedForms of integers have integer coefficients.
            let (rest, quotient) = p.divided(divisor)?;
            number(if op == Op::Mod { rest } else { quotient })
        }
        (Op::Le | Op::Eq, [a, b]) => {
            let difference = a.plus(b, &Rational::MINUS_ONE);
            let (least, greatest) = difference.extremes(first, last);
            let truth = match op {
                Op::Le if !greatest.is_positive() => Some(true),
                Op::Le => least.is_positive().then_some(false),
                _ if least.is_zero() && greatest.is_zero() => Some(true),
                _ => (least.is_positive() || greatest.is_negative()).then_some(false),
            };
            Some(InRounds::of_truth(truth))
        }
        _ => None,
    }
}

/// What operators of words make of polynomials, of which some argument is one; nothing if they are of no help.
fn words(store: &Store, t: Term, args: &[&InRounds], rounds: (u64, u64)) -> Option<InRounds> {
    let residues: Option<Vec<Polynomial>> = args.iter().map(|a| a.residue()).collect();
    let residues = residues?;
    let width = store.bv_width(store.sort_of(*store.args(t).first()?))?;
    let one = Rational::ONE;
    let word = |p| Some(InRounds::word(width, p));
    match (store.op(t), residues.as_slice()) {
        (Op::BvAdd, [a, b]) => word(a.plus(b, &one)),
        (Op::BvNeg, [a]) => word(Polynomial::constant(Rational::ZERO).plus(a, &Rational::MINUS_ONE)),
        (Op::BvMul, [a, b]) => {
            let (factor, p) = match (a.as_constant(), b.as_constant()) {
                (Some(factor), _) => (factor, b),
                (_, Some(factor)) => (factor, a),
                _ => return None,
            };
            word(Polynomial::constant(Rational::ZERO).plus(p, factor))
        }
        (op @ (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq), [a, b]) => {
            // The sign is the highest bit: with half of the range added, words with signs are ordered like those without.
            let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
            let offset = if is_signed { Rational::pow2(width - 1) } else { Rational::ZERO };
            let exact = |p: &Polynomial| without_wraps(p, &offset, width, rounds);
            let difference = exact(a)?.plus(&exact(b)?, &Rational::MINUS_ONE);
            let (least, greatest) = difference.extremes(rounds.0, rounds.1);
            let (always, never) = match op {
                Op::BvUlt | Op::BvSlt => (greatest.is_negative(), !least.is_negative()),
                Op::Eq => {
                    (least.is_zero() && greatest.is_zero(), least.is_positive() || greatest.is_negative())
                }
                _ => (!greatest.is_positive(), least.is_positive()),
            };
            Some(InRounds::of_truth(if always { Some(true) } else { never.then_some(false) }))
        }
        _ => None,
    }
}

/// The numbers that words denote in all rounds, with an offset added to the words; nothing if they wrap on the way.
fn without_wraps(
    p: &Polynomial,
    offset: &Rational,
    width: u32,
    (first, last): (u64, u64),
) -> Option<Polynomial> {
    let size = Rational::pow2(width);
    let p = p.nearest(&size).plus(&Polynomial::constant(offset.clone()), &Rational::ONE);
    let wraps = p.at(first).div_euclid(&size)?;
    let p = p.plus(&Polynomial::constant(size.clone()), &-wraps);
    let (least, greatest) = p.extremes(first, last);
    (!least.is_negative() && greatest < size).then_some(p)
}
