//! Whole stretches of rounds of a loop at once, where the values are integers that change as polynomials in the number of the round.
//!
//! As in the interpreter of C, but on edges and terms: what the next few periods do shows what the polynomials may be, and one period is
//! executed for all numbers of the period at once. Each edge of it must stay the only one that can be taken. What is not known to be a
//! polynomial is not known at all, here and after the stretch, and must be computed anew in the period after it; arrays do not change.
//!
//! Words are integers with remainders: a value is known exactly, or as the number of a window that differs from a polynomial by a multiple
//! of a power of two.

use super::{Evaluation, Execution, Progress, State};
use crate::{Action, Call, EdgeId, ProcId, Step};
use bolide_base::{DEGREE, IBig, Progression, Rational};
use bolide_term::{Func, Op, Sort, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer periods are not worth it.
const FEWEST_PERIODS: u64 = 8;
/// No more periods are skipped at once.
const MOST_PERIODS: u64 = 1 << 62;

/// What is known of an integer or a truth value in each round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Truth(bool),
    /// A polynomial.
    Exact(Progression),
    /// Of the numbers from the lowest one on, as many as a power of two, the one that differs from a polynomial by a multiple of that power.
    Window(Progression, i128, u32),
    /// A number that differs from a polynomial by a multiple of a power of two.
    Congruent(Progression, u32),
}

/// What is known of scalars; of those that are not listed, nothing.
type Values = FxHashMap<Func, Known>;

/// What periods that are skipped come to.
struct Skip {
    /// What is known after them.
    values: Vec<(Func, Value)>,
    /// Of what nothing else is known.
    forgotten: Vec<Func>,
}

/// A call on the way, with what its locals held before.
struct Frame {
    proc: ProcId,
    edge: EdgeId,
    saved: Vec<(Func, Option<Known>)>,
}

/// A period in execution.
struct Walk<'e, 'p> {
    execution: &'e Execution<'p>,
    values: Values,
    /// What has been assigned in the activation of the procedure with the loop, globals included.
    assigned: FxHashSet<Func>,
    frames: Vec<Frame>,
    horizon: u64,
}

impl Execution<'_> {
    /// Skips as many periods of a loop as take the same way from here; says whether there are any.
    pub(super) fn skip(&mut self, way: &[EdgeId]) -> bool {
        bolide_base::spend(10 * way.len() as u64);
        let Some(Skip { values, forgotten }) = self.plan(way) else { return false };
        for symbol in forgotten {
            self.state.values.remove(&symbol);
        }
        self.state.values.extend(values);
        true
    }

    /// What the longest stretch of periods comes to.
    fn plan(&self, way: &[EdgeId]) -> Option<Skip> {
        let mut samples = vec![start(&self.state)];
        let mut assigned = FxHashSet::default();
        for _ in 0..DEGREE {
            let mut walk = Walk::new(self, samples.last()?.clone());
            walk.follow(way)?;
            assigned.extend(walk.assigned);
            samples.push(walk.values);
        }
        let mut guesses: Vec<(Func, Known)> = Vec::new();
        for &symbol in &assigned {
            let value = |sample: &Values| match sample.get(&symbol)? {
                Known::Exact(p) => p.as_constant(),
                _ => None,
            };
            let values: Option<Vec<i128>> = samples.iter().map(value).collect();
            if let Some(values) = values.and_then(|v| v.try_into().ok()) {
                guesses.push((symbol, Known::Exact(Progression::through(values, 128))));
            } else if let Some(known @ Known::Truth(_)) = samples[0].get(&symbol)
                && samples.iter().all(|s| s.get(&symbol) == Some(known))
            {
                guesses.push((symbol, *known));
            }
        }
        let (guesses, horizon) = self.confirm(way, &samples[0], &assigned, guesses)?;
        // What is not a polynomial is computed in the last period, or too much would be forgotten.
        let mut known = samples[0].clone();
        known.retain(|s, _| !assigned.contains(s) || guesses.iter().any(|g| g.0 == *s));
        let mut walk = Walk::new(self, known);
        walk.follow(way)?;
        if samples[1].keys().any(|s| !walk.values.contains_key(s)) {
            return None;
        }
        let mut periods = horizon - 1;
        while periods > 0 {
            let known = guesses.iter().map(|&(symbol, g)| Some((symbol, g.at(periods)?)));
            if let Some(values) = known.collect::<Option<Vec<(Func, Value)>>>() {
                return Some(Skip { values, forgotten: assigned.into_iter().collect() });
            }
            periods /= 2;
        }
        None
    }

    /// Those of the guesses that are right, perhaps with remainders, and the number of periods for which they are.
    fn confirm(
        &self,
        way: &[EdgeId],
        now: &Values,
        assigned: &FxHashSet<Func>,
        mut guesses: Vec<(Func, Known)>,
    ) -> Option<(Vec<(Func, Known)>, u64)> {
        loop {
            let mut values = now.clone();
            values.retain(|symbol, _| !assigned.contains(symbol));
            values.extend(guesses.iter().copied());
            let mut walk = Walk::new(self, values);
            walk.follow(way)?;
            if !walk.assigned.is_subset(assigned) {
                return None;
            }
            let mut others = Vec::new();
            let mut changed = false;
            for &(symbol, guess) in &guesses {
                let end = walk.values.get(&symbol).copied();
                let right = end.and_then(|end| guess.confirmed(end, &mut walk.horizon));
                changed |= right != Some(guess);
                others.extend(right.map(|g| (symbol, g)));
            }
            if walk.horizon < FEWEST_PERIODS || walk.horizon >= MOST_PERIODS {
                return None;
            }
            if !changed {
                return Some((guesses, walk.horizon));
            }
            guesses = others;
        }
    }
}

/// What is known of scalars in a state.
fn start(state: &State) -> Values {
    let known = |(symbol, value): (&Func, &Value)| {
        let known = match value {
            Value::Bool(b) => Known::Truth(*b),
            Value::Num(n) => Known::Exact(Progression::constant(i128::try_from(n.to_ibig()?).ok()?)),
            _ => return None,
        };
        Some((*symbol, known))
    };
    state.values.iter().filter_map(known).collect()
}

impl Known {
    /// The value after so many periods.
    fn at(&self, periods: u64) -> Option<Value> {
        let number = match self {
            Known::Truth(b) => return Some(Value::Bool(*b)),
            Known::Exact(p) => p.exactly_at(periods)?,
            Known::Window(p, low, bits) => low + p.at(periods)?.wrapping_sub(*low).rem_euclid(1 << bits),
            Known::Congruent(..) => return None,
        };
        Some(Value::Num(Rational::from(IBig::from(number))))
    }

    /// What is known at the start of each period, if this is supposed and that is known at its end. The same if it was right.
    fn confirmed(self, end: Known, horizon: &mut u64) -> Option<Known> {
        match (self, end) {
            (Known::Truth(a), Known::Truth(b)) => (a == b).then_some(self),
            (Known::Exact(p), Known::Exact(q)) => (p.checked_next()? == q).then_some(self),
            (Known::Exact(p), Known::Window(_, low, bits)) => {
                // The value that it has now must lie in the window.
                window(p, low, bits).filter(|w| w.polynomial().is_some_and(|q| q.first() == p.first()))
            }
            (Known::Window(p, low, bits), Known::Window(q, other, others)) => {
                ((low, bits) == (other, others) && p.next().is_congruent(&q, bits)).then_some(self)
            }
            (Known::Window(p, low, bits), Known::Exact(q)) if p.next().is_congruent(&q, bits) => {
                keep_inside(&q, low, bits, horizon)?.then_some(self)
            }
            _ => None,
        }
    }
}

/// The number of a window that a polynomial leads to.
fn window(p: Progression, low: i128, bits: u32) -> Option<Known> {
    if bits > 100 {
        return None;
    }
    let into = |first: i128| low.wrapping_add(first.wrapping_sub(low).rem_euclid(1 << bits));
    match p.as_constant() {
        Some(value) => Some(Known::Exact(Progression::constant(into(value)))),
        None => Some(Known::Window(p.modulo(bits, into), low, bits)),
    }
}

/// Is a number at most zero, up to the horizon?
fn keep(p: &Progression, horizon: &mut u64) -> bool {
    *horizon = p.keeps_sign(*horizon);
    p.first() <= 0
}

/// Does a number lie in a window, up to the horizon?
fn keep_inside(p: &Progression, low: i128, bits: u32, horizon: &mut u64) -> Option<bool> {
    let high = low.checked_add((1 << bits) - 1)?;
    let above = keep(&Progression::constant(low).checked_sub(p)?, horizon);
    Some(above && keep(&p.checked_sub(&Progression::constant(high))?, horizon))
}

impl<'e, 'p> Walk<'e, 'p> {
    fn new(execution: &'e Execution<'p>, values: Values) -> Walk<'e, 'p> {
        Walk { execution, values, assigned: FxHashSet::default(), frames: Vec::new(), horizon: MOST_PERIODS }
    }

    /// Follows the edges of a period; `None` if another one may be taken.
    fn follow(&mut self, way: &[EdgeId]) -> Option<()> {
        let program = self.execution.program;
        let (mut proc, mut location) = (self.execution.proc, self.execution.location);
        for &id in way {
            let procedure = &program.procs[proc];
            let edge = procedure.edges.get(id).filter(|e| e.from == location)?;
            let outgoing = self.execution.outgoing[proc].as_ref()?;
            for &other in &outgoing[location] {
                let Action::Step(step) = &procedure.edges[other].action else {
                    (other == id).then_some(())?;
                    continue;
                };
                let truth = self.evaluate(step.guard, step);
                match (other == id, truth) {
                    (true, Some(Known::Truth(false))) => return None,
                    (true, _) | (false, Some(Known::Truth(false))) => {}
                    (false, _) => return None,
                }
            }
            match &edge.action {
                Action::Step(step) => {
                    self.step(step)?;
                    location = edge.to;
                }
                Action::Call(call) => {
                    self.enter(proc, id, call)?;
                    proc = call.callee;
                    location = program.procs[proc].entry;
                }
            }
            while location == program.procs[proc].exit
                && let Some(frame) = self.frames.pop()
            {
                let edge = &program.procs[frame.proc].edges[frame.edge];
                self.leave(proc, frame.saved, &edge.action)?;
                (proc, location) = (frame.proc, edge.to);
            }
        }
        let is_back = (proc, location) == (self.execution.proc, self.execution.location);
        (is_back && self.frames.is_empty()).then_some(())
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        let program = self.execution.program;
        let new: Vec<(Func, Option<Known>)> = step
            .assigns
            .iter()
            .map(|&(v, t)| {
                let variable = &program.vars[v];
                let is_array = self.execution.store.array_sorts(variable.sort).is_some();
                let symbol = self.execution.store.as_var(variable.term).filter(|_| !is_array)?;
                Some((symbol, self.evaluate(t, step)))
            })
            .collect::<Option<_>>()?;
        new.into_iter().for_each(|(symbol, value)| self.set(symbol, value));
        Some(())
    }

    fn set(&mut self, symbol: Func, value: Option<Known>) {
        self.assigned.insert(symbol);
        self.put(symbol, value);
    }

    fn put(&mut self, symbol: Func, value: Option<Known>) {
        match value {
            Some(value) => _ = self.values.insert(symbol, value),
            None => _ = self.values.remove(&symbol),
        }
    }

    fn enter(&mut self, proc: ProcId, edge: EdgeId, call: &Call) -> Option<()> {
        let (store, program) = (self.execution.store, self.execution.program);
        let nothing = Step { guard: store.tru(), assigns: Vec::new(), inputs: Vec::new() };
        let args: Vec<Option<Known>> = call.args.iter().map(|&t| self.evaluate(t, &nothing)).collect();
        let locals = &self.execution.locals[call.callee];
        // Arrays of an activation below are not those of this one.
        if locals.iter().any(|l| self.execution.state.arrays.contains_key(l)) {
            return None;
        }
        let saved = locals.iter().map(|&l| (l, self.values.remove(&l))).collect();
        self.frames.push(Frame { proc, edge, saved });
        for (&p, value) in program.procs[call.callee].params.iter().zip(args) {
            let is_array = store.array_sorts(program.vars[p].sort).is_some();
            let symbol = store.as_var(program.vars[p].term).filter(|_| !is_array)?;
            self.set(symbol, value);
        }
        Some(())
    }

    /// Returns from a procedure.
    fn leave(&mut self, proc: ProcId, saved: Vec<(Func, Option<Known>)>, action: &Action) -> Option<()> {
        let (store, program) = (self.execution.store, self.execution.program);
        let symbol = |v| store.as_var(program.vars[v].term);
        let result = program.procs[proc].result.and_then(symbol).and_then(|s| self.values.get(&s).copied());
        saved.into_iter().for_each(|(local, value)| self.put(local, value));
        if let Action::Call(Call { result: Some(v), .. }) = action {
            let is_array = store.array_sorts(program.vars[*v].sort).is_some();
            self.set(symbol(*v).filter(|_| !is_array)?, result);
        }
        Some(())
    }

    /// What is known of a term before a step, whose inputs can be anything.
    fn evaluate(&mut self, root: Term, step: &Step) -> Option<Known> {
        let store = self.execution.store;
        let mut done: FxHashMap<Term, Option<Known>> = step.inputs.iter().map(|i| (i.0, None)).collect();
        let order: Vec<Term> = store.post_order([root]).collect();
        for t in order {
            if !done.contains_key(&t) {
                let value = self.node(t, &done);
                done.insert(t, value);
            }
        }
        done.get(&root).copied().flatten()
    }

    fn node(&mut self, t: Term, done: &FxHashMap<Term, Option<Known>>) -> Option<Known> {
        let store = self.execution.store;
        let args = store.args(t);
        let at = |a: Term| done.get(&a).copied().flatten();
        let truth = |a: Term| match at(a) {
            Some(Known::Truth(b)) => Some(b),
            _ => None,
        };
        match store.op(t) {
            Op::True => Some(Known::Truth(true)),
            Op::False => Some(Known::Truth(false)),
            Op::Not => Some(Known::Truth(!truth(args[0])?)),
            op @ (Op::And | Op::Or) => {
                let decisive = op == Op::Or;
                let answers: Vec<Option<bool>> = args.iter().map(|&a| truth(a)).collect();
                if answers.contains(&Some(decisive)) {
                    return Some(Known::Truth(decisive));
                }
                (!answers.contains(&None)).then_some(Known::Truth(!decisive))
            }
            Op::Ite => match truth(args[0]) {
                Some(condition) => at(args[if condition { 1 } else { 2 }]),
                None => at(args[1]).filter(|yes| Some(*yes) == at(args[2])),
            },
            Op::Num(_) if store.sort_of(t) == Sort::INT => {
                let n = store.as_num(t)?.to_ibig()?;
                Some(Known::Exact(Progression::constant(i128::try_from(n).ok()?)))
            }
            Op::Add => args.iter().map(|&a| at(a)).reduce(|a, b| sum(a?, b?)).flatten(),
            Op::Mul => args.iter().map(|&a| at(a)).reduce(|a, b| product(a?, b?)).flatten(),
            Op::Mod => self.remainder(at(args[0])?, at(args[1])?),
            Op::Div => {
                let (p, divisor) = (self.exact(at(args[0])?)?, self.exact(at(args[1])?)?.as_constant()?);
                Some(Known::Exact(p.div_rem(divisor)?.0))
            }
            Op::Le => {
                let (a, b) = (self.exact(at(args[0])?)?, self.exact(at(args[1])?)?);
                Some(Known::Truth(keep(&a.checked_sub(&b)?, &mut self.horizon)))
            }
            Op::Eq => match (at(args[0])?, at(args[1])?) {
                (Known::Truth(a), Known::Truth(b)) => Some(Known::Truth(a == b)),
                (a, b) => {
                    let (a, b) = (self.exact(a)?, self.exact(b)?);
                    let below = keep(&a.checked_sub(&b)?, &mut self.horizon);
                    let above = keep(&b.checked_sub(&a)?, &mut self.horizon);
                    Some(Known::Truth(below && above))
                }
            },
            Op::Apply(symbol) if args.is_empty() => self.values.get(&symbol).copied(),
            Op::Select => {
                let index = self.exact(at(args[1])?)?.as_constant()?;
                self.element(t, index)
            }
            _ => None,
        }
    }

    /// What an array that is a variable holds at an index.
    fn element(&self, t: Term, index: i128) -> Option<Known> {
        let state = &self.execution.state;
        let index = Value::Num(Rational::from(IBig::from(index)));
        let known = Evaluation::new(self.execution.store, state);
        match known.select(self.execution.store.args(t)[0], &index, &mut Progress::default()).ok()?? {
            Value::Bool(b) => Some(Known::Truth(b)),
            Value::Num(n) => Some(Known::Exact(Progression::constant(i128::try_from(n.to_ibig()?).ok()?))),
            _ => None,
        }
    }

    /// The polynomial that a number is exactly, up to the horizon.
    fn exact(&mut self, known: Known) -> Option<Progression> {
        match known {
            Known::Exact(p) => Some(p),
            Known::Window(p, low, bits) => keep_inside(&p, low, bits, &mut self.horizon)?.then_some(p),
            Known::Truth(_) | Known::Congruent(..) => None,
        }
    }

    fn remainder(&mut self, a: Known, divisor: Known) -> Option<Known> {
        let divisor = self.exact(divisor)?.as_constant().filter(|&d| d > 0)?;
        let bits = divisor.trailing_zeros();
        let is_power = divisor.count_ones() == 1;
        match a {
            Known::Exact(p) | Known::Window(p, _, _) | Known::Congruent(p, _)
                if is_power && a.bits().is_none_or(|b| b >= bits) =>
            {
                window(p, 0, bits)
            }
            _ => Some(Known::Exact(Progression::constant(self.exact(a)?.div_rem(divisor)?.1))),
        }
    }
}

impl Known {
    /// The polynomial, and the power of two modulo which it is known.
    fn polynomial(self) -> Option<Progression> {
        match self {
            Known::Exact(p) | Known::Window(p, _, _) | Known::Congruent(p, _) => Some(p),
            Known::Truth(_) => None,
        }
    }

    fn bits(self) -> Option<u32> {
        match self {
            Known::Window(_, _, bits) | Known::Congruent(_, bits) => Some(bits),
            Known::Exact(_) | Known::Truth(_) => None,
        }
    }
}

fn sum(a: Known, b: Known) -> Option<Known> {
    match (a, b) {
        (Known::Exact(p), Known::Exact(q)) => Some(Known::Exact(p.checked_add(&q)?)),
        (Known::Window(p, low, bits), Known::Exact(q)) | (Known::Exact(q), Known::Window(p, low, bits))
            if q.as_constant().is_some() =>
        {
            let by = q.as_constant()?;
            Some(Known::Window(p.checked_add(&q)?, low.checked_add(by)?, bits))
        }
        _ => {
            let bits = a.bits().into_iter().chain(b.bits()).min()?;
            Some(Known::Congruent(a.polynomial()?.add(&b.polynomial()?), bits))
        }
    }
}

fn product(a: Known, b: Known) -> Option<Known> {
    let (p, q) = (a.polynomial()?, b.polynomial()?);
    match a.bits().into_iter().chain(b.bits()).min() {
        None => p.checked_mul(&q).map(Known::Exact),
        Some(bits) => Some(Known::Congruent(p.mul(&q)?, bits)),
    }
}
