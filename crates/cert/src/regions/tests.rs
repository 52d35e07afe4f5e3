//! No execution leaves an invariant unseen: if one does, an obligation holds in its values.

use super::Ghosts;
use crate::{Flaw, Obligations};
use bolide_base::{Budget, Rational};
use bolide_model::program::pass::remember_entry;
use bolide_model::{Input, LocId, Program, Property, Runner, Span, Step, VarId, VarKind};
use bolide_term::{ArrayValue, Evaluator, Func, Model, Sort, Store, Term, Value};
pub(super) use bolide_testkit::Random;
use std::sync::Arc;

/// The obligations of formulas at locations of the entry procedure.
fn obligations(
    mut store: Store,
    program: &Program,
    formulas: &[(LocId, Term)],
    ghosts: &Ghosts,
    apart: bool,
) -> Result<Obligations, Flaw> {
    let entry = remember_entry(&mut store, program.clone());
    let formulas: Vec<_> = formulas.iter().map(|&(l, formula)| ((program.entry, l), formula)).collect();
    super::obligations(store, &entry, &formulas, ghosts, apart, &Budget::unlimited())
}

pub(super) fn small(random: &mut Random) -> i64 {
    random.below(4) as i64 - 1
}

pub(super) fn number(n: i64) -> Value {
    Value::Num(Rational::from(n))
}

/// A loop with a body of branches that need not exclude each other, over two integers and an array.
struct Loop {
    store: Store,
    program: Program,
    vars: [VarId; 3],
    head: LocId,
}

impl Loop {
    fn new(rng: &mut Random) -> Loop {
        let (mut store, mut program) = (Store::new(), Program::new("main"));
        let array = store.array_sort(Sort::INT, Sort::INT);
        let mut declare = |name, sort| program.variable(&mut store, name, sort, VarKind::Global, None);
        let vars = [declare("x", Sort::INT), declare("y", Sort::INT), declare("a", array)];
        let span = Span::default();
        let input = program.inputs.push(Input {
            name: "in".into(),
            sort: Sort::INT,
            range: None,
            preferred: None,
            span,
        });
        let property = program.properties.push(Property { name: "error".into(), span });
        let main = program.entry;
        let places: Vec<LocId> = (0..7).map(|_| program.procs[main].location(span)).collect();
        let (head, error) = (places[0], places[6]);
        program.procs[main].locations[error].error = Some(property);
        let entry = program.main().entry;
        program.procs[main].step(entry, head, Step::skip(&store), span);
        for n in 0..6 {
            for _ in 0..1 + rng.below(3) {
                let next = n + 1 + rng.below(6 - n as u64) as usize;
                let to = if rng.below(4) == 0 { head } else { places[next] };
                let value = program.input_value(&mut store, input);
                let mut leaves = vec![value, program.vars[vars[0]].term, program.vars[vars[1]].term];
                for index in 0..2 {
                    let index = store.int(index);
                    leaves.push(store.select(program.vars[vars[2]].term, index));
                }
                let leaf = |rng: &mut Random| leaves[rng.below(leaves.len() as u64) as usize];
                let (a, b, c, bound) = (leaf(rng), leaf(rng), leaf(rng), store.int(small(rng)));
                let guard = match rng.below(4) {
                    0 => store.tru(),
                    1 => store.le(a, b),
                    2 => store.le(a, bound),
                    _ => store.eq(a, bound),
                };
                let sum = store.add(&[b, bound]);
                let index = store.int(rng.below(2) as i64);
                let written = store.store(program.vars[vars[2]].term, index, c);
                let assigns = match rng.below(4) {
                    0 => vec![(vars[0], sum)],
                    1 => vec![(vars[0], b), (vars[1], sum)],
                    2 => vec![(vars[2], written)],
                    _ => Vec::new(),
                };
                let step = Step { guard, assigns, inputs: vec![(value, input)] };
                program.procs[main].step(places[n], to, step, span);
            }
        }
        Loop { store, program, vars, head }
    }

    /// Some disjunction.
    fn invariant(&mut self, rng: &mut Random) -> Term {
        let s = &mut self.store;
        let [x, y, a] = self.vars.map(|v| self.program.vars[v].term);
        let mut alternatives = Vec::new();
        for _ in 0..1 + rng.below(3) {
            let index = s.int(rng.below(2) as i64);
            let cell = s.select(a, index);
            let [k, l, m] = [(); 3].map(|()| s.int(small(rng)));
            let parts = [s.eq(x, k), s.eq(cell, l), s.le(y, m), s.le(x, y)];
            let chosen: Vec<Term> = parts.into_iter().filter(|_| rng.below(2) == 0).collect();
            alternatives.push(s.and(&chosen));
        }
        s.or(&alternatives)
    }

    fn start(&self, rng: &mut Random) -> Vec<(VarId, Value)> {
        let mut array = ArrayValue::constant(number(0));
        for index in 0..2 {
            array = array.store(number(index), number(small(rng)));
        }
        let [x, y, a] = self.vars;
        vec![(x, number(small(rng))), (y, number(small(rng))), (a, Value::Array(Arc::new(array)))]
    }

    fn symbol(&self, t: Term) -> Func {
        self.store.as_var(t).expect("a constant")
    }

    /// Runs from the head to the next cut point along edges that are chosen at random; the values of the start and of the
    /// inputs, those at the end, and where that is.
    fn run(&self, rng: &mut Random) -> Option<(Model, Model, LocId)> {
        let start = self.start(rng);
        let mut runner = Runner::new(&self.store, &self.program, &start);
        let mut known = Model::new();
        start.iter().for_each(|(v, value)| known.set(self.symbol(self.program.vars[*v].term), value.clone()));
        let (main, outgoing) = (self.program.main(), self.program.main().outgoing());
        runner.take(&self.store, outgoing[main.entry][0], &[]).ok()?;
        loop {
            let edges = &outgoing[runner.position().1];
            let edge = *edges.get(rng.below(edges.len().max(1) as u64) as usize)?;
            let value = number(small(rng));
            if !runner.take(&self.store, edge, std::slice::from_ref(&value)).ok()? {
                return None;
            }
            known.set(self.symbol(main.edges[edge].step()?.inputs[0].0), value);
            let at = runner.position().1;
            if at == self.head || main.locations[at].error.is_some() {
                let mut end = Model::new();
                for v in self.vars {
                    let value = runner.value(&self.store, v).clone();
                    end.set(self.symbol(self.program.vars[v].term), value);
                }
                return Some((known, end, at));
            }
        }
    }
}

/// Do formulas hold in some values, with what else occurs in them chosen in some way?
fn can_hold(store: &Store, formulas: &[Term], known: &Model) -> bool {
    let mut model = known.clone();
    let mut choices = Vec::new();
    for f in store.symbols(formulas.iter().copied()) {
        if known.value(f).is_none() {
            match store.decl(f).result {
                Sort::BOOL => choices.push(f),
                _ => model.set(f, number(0)),
            }
        }
    }
    (0..1_u64 << choices.len()).any(|bits| {
        for (n, &f) in choices.iter().enumerate() {
            model.set(f, Value::Bool(bits >> n & 1 == 1));
        }
        let mut evaluator = Evaluator::new(store, &model);
        formulas.iter().all(|&f| evaluator.holds(f) == Ok(true))
    })
}

#[test]
fn executions_that_leave_an_invariant_are_seen() {
    let mut rng = Random::new(0x1234_5678_dead_beef);
    let (mut violations, mut kept) = (0, 0);
    for n in 0..400 {
        let mut task = Loop::new(&mut rng);
        // Where no error can be reached nothing needs to be shown.
        if !task.program.main().leads_to_error()[task.head] {
            continue;
        }
        let invariant = task.invariant(&mut rng);
        let store = task.store.clone();
        let found =
            obligations(store, &task.program, &[(task.head, invariant)], &Ghosts::default(), n % 2 == 1);
        let found = found.expect("every cycle has a formula");
        for _ in 0..60 {
            let Some((known, end, at)) = task.run(&mut rng) else { continue };
            let holds = |model: &Model| Evaluator::new(&task.store, model).holds(invariant) == Ok(true);
            if !holds(&known) {
                continue;
            }
            if at == task.head && holds(&end) {
                kept += 1;
                continue;
            }
            violations += 1;
            let is_seen = |formulas: &[Term]| can_hold(&found.store, formulas, &known);
            assert!(found.list.iter().any(|o| is_seen(&o.formulas)), "an execution is not seen");
        }
    }
    assert!(violations > 500 && kept > 500, "{violations} leave, {kept} stay");
}

/// Values of the two ghosts of a loop.
type Pair = [i64; 2];

/// What the ghosts of a loop are, and what becomes of them.
struct Haunted {
    task: Loop,
    ghosts: Ghosts,
    /// The formula at the head below its quantifier.
    body: Term,
    is_quantified: [bool; 2],
    /// The values that they are given on the way back to the head and on the way to the error.
    given: [[Option<(Term, bool)>; 2]; 2],
}

/// Quantifiers of formulas in tests are over these numbers.
const NUMBERS: std::ops::Range<i64> = -2..3;

impl Haunted {
    fn new(rng: &mut Random) -> Haunted {
        let mut task = Loop::new(rng);
        let (store, program) = (&mut task.store, &task.program);
        let mut ghosts = Ghosts::new(store, program, Some("2")).expect("two ghosts");
        let is_quantified = [rng.below(2) == 0, rng.below(2) == 0];
        let variables: Vec<&str> =
            (0..2).filter(|&n| is_quantified[n]).map(|n| ["(?0 Int)", "(?1 Int)"][n]).collect();
        let text = format!("(forall ({}) true)", variables.join(" "));
        assert_eq!(ghosts.open(task.head, &text).as_deref(), Ok("true"));
        let error = LocId::new(program.main().locations.len() - 1);
        let [x, y, a] = task.vars.map(|v| program.vars[v].term);
        let [zero, one] = [0, 1].map(|n| store.int(n));
        let (sum, cell) = (store.add(&[x, one]), store.select(a, zero));
        let mut given = [[None; 2]; 2];
        for (to, given) in [task.head, error].into_iter().zip(&mut given) {
            for (n, given) in given.iter_mut().enumerate() {
                let values = [("x", x), ("y", y), ("(+ x 1)", sum), ("(select a 0)", cell)];
                let (text, value) = values[rng.below(4) as usize];
                let at_end = rng.below(2) == 0;
                if rng.below(3) > 0 {
                    let when = if at_end { "end" } else { "start" };
                    let line = format!("{} {} ?{n} {when} {text}", task.head.index(), to.index());
                    ghosts.read_values(store, program, &line).expect("a value");
                    *given = Some((value, at_end));
                }
            }
        }
        let body = Haunted::body(&mut task, &ghosts, is_quantified, rng);
        Haunted { task, ghosts, body, is_quantified, given }
    }

    /// Some formula that holds if a ghost that it is quantified over is none of a few numbers.
    fn body(task: &mut Loop, ghosts: &Ghosts, is_quantified: [bool; 2], rng: &mut Random) -> Term {
        let [x, y, a] = task.vars.map(|v| task.program.vars[v].term);
        let s = &mut task.store;
        let [g, h] = [ghosts.ghosts[0], ghosts.ghosts[1]];
        let (cell, bound) = (s.select(a, g), s.int(small(rng)));
        let choices = [s.le(x, g), s.le(cell, y), s.eq(h, x), s.le(h, g), s.le(g, bound), s.le(bound, y)];
        let mut alternatives = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let chosen: Vec<Term> = choices.into_iter().filter(|_| rng.below(3) == 0).collect();
            alternatives.push(s.and(&chosen));
        }
        let [low, high] = [NUMBERS.start, NUMBERS.end - 1].map(|n| s.int(n));
        for (ghost, _) in [g, h].into_iter().zip(is_quantified).filter(|(_, is)| *is) {
            alternatives.extend([s.lt(ghost, low), s.lt(high, ghost)]);
        }
        s.or(&alternatives)
    }

    fn holds_for(&self, model: &Model, pair: Pair) -> bool {
        let mut model = model.clone();
        for (&ghost, value) in self.ghosts.ghosts.iter().zip(pair) {
            model.set(self.task.symbol(ghost), number(value));
        }
        Evaluator::new(&self.task.store, &model).holds(self.body) == Ok(true)
    }

    /// Does the formula hold for all values of the ghosts that it is quantified over?
    fn holds(&self, model: &Model, pair: Pair) -> bool {
        let values = |n: usize| match self.is_quantified[n] {
            true => NUMBERS.collect(),
            false => vec![pair[n]],
        };
        values(0).iter().all(|&g| values(1).iter().all(|&h| self.holds_for(model, [g, h])))
    }

    /// The values of the ghosts after a way; any of a few where a formula is quantified.
    fn after(&self, pair: Pair, start: &Model, end: &Model, is_back: bool, rng: &mut Random) -> Pair {
        let mut after = pair;
        for (n, after) in after.iter_mut().enumerate() {
            if let Some((value, at_end)) = self.given[usize::from(!is_back)][n] {
                let model = if at_end { end } else { start };
                let value = Evaluator::new(&self.task.store, model).eval(value).expect("a value");
                let Value::Num(value) = value else { panic!("not a number") };
                *after = value.to_ibig().and_then(|v| i64::try_from(v).ok()).expect("a small number");
            }
            if is_back && self.is_quantified[n] {
                *after = NUMBERS.start + rng.below(5) as i64;
            }
        }
        after
    }
}

/// The same with ghosts and quantifiers.
#[test]
fn executions_that_leave_a_quantified_invariant_are_seen() {
    let mut rng = Random::new(0x6057_0000_1234_5679);
    let (mut violations, mut kept) = (0, 0);
    for n in 0..600 {
        let haunted = Haunted::new(&mut rng);
        let task = &haunted.task;
        if !task.program.main().leads_to_error()[task.head] {
            continue;
        }
        let formulas = [(task.head, haunted.body)];
        let found = obligations(task.store.clone(), &task.program, &formulas, &haunted.ghosts, n % 2 == 1);
        let found = found.expect("every cycle has a formula");
        for _ in 0..60 {
            let Some((mut known, end, at)) = task.run(&mut rng) else { continue };
            let before = [small(&mut rng), small(&mut rng)];
            if !haunted.holds(&known, before) {
                continue;
            }
            let after = haunted.after(before, &known, &end, at == task.head, &mut rng);
            if at == task.head && haunted.holds_for(&end, after) {
                kept += 1;
                continue;
            }
            violations += 1;
            for n in 0..2 {
                known.set(task.symbol(haunted.ghosts.ghosts[n]), number(before[n]));
                known.set(task.symbol(haunted.ghosts.any[n]), number(after[n]));
            }
            let is_seen = |formulas: &[Term]| can_hold(&found.store, formulas, &known);
            assert!(found.list.iter().any(|o| is_seen(&o.formulas)), "an execution is not seen");
        }
    }
    assert!(violations > 500 && kept > 500, "{violations} leave, {kept} stay");
}

#[test]
fn loops_without_formulas_are_refused() {
    let mut rng = Random::new(0x00c0_ffee_0000_0001);
    let refused = (0..50).filter(|_| {
        let task = Loop::new(&mut rng);
        obligations(task.store.clone(), &task.program, &[], &Ghosts::default(), false).is_err()
    });
    assert!(refused.count() > 20);
}
