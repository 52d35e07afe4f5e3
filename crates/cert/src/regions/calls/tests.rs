//! No execution of procedures that call each other breaks what formulas say unseen: if one does, an obligation holds in its
//! values.

use super::Procedures;
use crate::Obligations;
use crate::regions::ghosts::Ghosts;
use crate::regions::obligations;
use crate::regions::tests::{number, small};
use bolide_base::Budget;
use bolide_model::program::back::ProcLoc;
use bolide_model::program::pass::{EntryValues, remember_entry};
use bolide_model::{Action, Call, LocId, ProcId, Procedure, Program, Property, Span, Step, VarId, VarKind};
use bolide_term::{Evaluator, Func, Model, Sort, Store, Term, Value};
use bolide_testkit::{Random, rounds};
use rustc_hash::FxHashMap;

/// More ways to choose the values of calls are not tried.
const MOST_CHOICES: usize = 20_000;

/// A program with two globals and two procedures that call themselves and each other.
struct Task {
    store: Store,
    entry: EntryValues,
    formulas: Vec<(ProcLoc, Term)>,
}

/// A procedure and its variables: its local, its parameter and its result. The entry procedure has the first only.
struct Own {
    proc: ProcId,
    vars: Vec<VarId>,
}

/// The procedures other than the entry.
const CALLEES: [ProcId; 2] = [ProcId::new(1), ProcId::new(2)];

impl Task {
    fn new(rng: &mut Random) -> Task {
        let (mut store, mut program) = (Store::new(), Program::new("main"));
        let span = Span::default();
        let mut declare = |program: &mut Program, name: &str, kind| {
            program.variable(&mut store, name, Sort::INT, kind, None)
        };
        let globals = ["g", "h"].map(|name| declare(&mut program, name, VarKind::Global));
        let main = program.entry;
        let local = declare(&mut program, "m", VarKind::Local(main));
        let mut all = vec![Own { proc: main, vars: vec![local] }];
        for name in ["f", "k"] {
            let proc = program.procs.push(Procedure::new(name, span));
            let vars =
                ["x", "n", "r"].map(|v| declare(&mut program, &format!("{name}::{v}"), VarKind::Local(proc)));
            program.procs[proc].params = vec![vars[1]];
            program.procs[proc].result = Some(vars[2]);
            all.push(Own { proc, vars: vars.to_vec() });
        }
        let error = program.properties.push(Property { name: "error".into(), span });
        let mut heads = Vec::new();
        for own in &all {
            let proc = own.proc;
            let p = &mut program.procs[proc];
            let places: Vec<LocId> = (0..4).map(|_| p.location(span)).collect();
            let wrong = p.location(span);
            p.locations[wrong].error = Some(error);
            let (entry, exit) = (p.entry, p.exit);
            let mut step = Step::skip(&store);
            let zero = store.int(0);
            step.assigns =
                own.vars.iter().enumerate().filter(|(n, _)| *n != 1).map(|(_, &v)| (v, zero)).collect();
            program.procs[proc].step(entry, places[0], step, span);
            heads.push((proc, places[0]));
            for from in 0..4 {
                // Everything may lead to an error, so that everything matters.
                let (seven, x) = (store.int(7), program.vars[own.vars[0]].term);
                let is_large = Step::assume(store.le(seven, x));
                program.procs[proc].step(places[from], wrong, is_large, span);
                for _ in 0..1 + rng.below(2) {
                    let next = from + 1 + rng.below(4 - from as u64) as usize;
                    let to = match rng.below(25) {
                        0 | 2 => places[0],
                        1 => wrong,
                        _ => places.get(next).copied().unwrap_or(exit),
                    };
                    edge(rng, &mut store, &mut program, own, globals, (places[from], to));
                }
            }
        }
        let entry = remember_entry(&mut store, program);
        let mut task = Task { store, entry, formulas: Vec::new() };
        for (Own { proc, vars }, head) in all.iter().zip(heads) {
            let copies: Vec<VarId> = task.entry.copies[*proc].iter().map(|c| c.1).collect();
            task.say(rng, head, &[&globals[..], &copies, vars].concat());
            if let [_, n, r] = vars[..] {
                let p = &task.entry.program.procs[*proc];
                let (start, exit) = (p.entry, p.exit);
                task.say(rng, (*proc, start), &[&globals[..], &[n]].concat());
                task.say(rng, (*proc, exit), &[&globals[..], &copies, &[n, r]].concat());
            }
        }
        task
    }

    /// Gives a place some formula over some variables.
    fn say(&mut self, rng: &mut Random, place: ProcLoc, about: &[VarId]) {
        let mut alternatives = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let mut parts = Vec::new();
            for _ in 0..rng.below(2) {
                let [a, b] = [(); 2]
                    .map(|()| self.entry.program.vars[about[rng.below(about.len() as u64) as usize]].term);
                let k = self.store.int(small(rng));
                let sum = self.store.add(&[b, k]);
                parts.push(match rng.below(3) {
                    0 => self.store.le(a, sum),
                    1 => self.store.le(k, a),
                    _ => self.store.eq(a, sum),
                });
            }
            alternatives.push(self.store.and(&parts));
        }
        let formula = self.store.or(&alternatives);
        self.formulas.push((place, formula));
    }

    fn term(&self, v: VarId) -> Func {
        self.store.as_var(self.entry.program.vars[v].term).expect("a constant")
    }

    fn holds(&self, state: &Model, place: ProcLoc) -> bool {
        let formula = self.formulas.iter().find(|(at, _)| *at == place).map(|&(_, formula)| formula);
        formula.is_none_or(|f| Evaluator::new(&self.store, state).holds(f) == Ok(true))
    }
}

/// Adds some edge: a call, or a step.
fn edge(
    rng: &mut Random,
    store: &mut Store,
    program: &mut Program,
    own: &Own,
    globals: [VarId; 2],
    (from, to): (LocId, LocId),
) {
    let mut known = own.vars.clone();
    // Nobody but the entry procedure and the second one that is called assigns the second global.
    known.extend(&globals);
    let leaf = |rng: &mut Random| program.vars[known[rng.below(known.len() as u64) as usize]].term;
    let (a, b, k) = (leaf(rng), leaf(rng), store.int(small(rng)));
    let sum = store.add(&[b, k]);
    let is_first = own.proc == CALLEES[0];
    if rng.below(3) == 0 {
        let result = (rng.below(4) > 0).then_some(own.vars[0]);
        let callee = if is_first { CALLEES[1] } else { CALLEES[rng.below(2) as usize] };
        let call = Call { callee, args: vec![sum], result };
        program.procs[own.proc].call(from, to, call, Span::default());
        return;
    }
    let guard = match rng.below(3) {
        0 => store.le(a, sum),
        1 => store.le(k, a),
        _ => store.tru(),
    };
    let assigned = if is_first { &known[..known.len() - 1] } else { &known[..] };
    let assigns = match rng.below(3) {
        0 => Vec::new(),
        _ => vec![(assigned[rng.below(assigned.len() as u64) as usize], sum)],
    };
    program.procs[own.proc].step(from, to, Step { guard, assigns, inputs: Vec::new() }, Span::default());
}

/// An execution along edges that are chosen at random.
struct Execution<'a> {
    task: &'a Task,
    found: &'a Obligations,
    fuel: u32,
    kept: usize,
    /// What is broken on a way without calls, and on one with calls that returned.
    violations: [usize; 2],
}

/// A way from a cut point.
struct Way {
    proc: ProcId,
    from: LocId,
    /// The values there.
    start: Model,
    /// Values when calls on the way returned.
    returned: Vec<Value>,
}

impl Execution<'_> {
    /// Runs a procedure to its exit: the state there; `None` if the execution does not get there, or breaks what a formula
    /// says, which then must be seen.
    fn run(&mut self, rng: &mut Random, proc: ProcId, mut state: Model) -> Option<Model> {
        let (task, program) = (self.task, &self.task.entry.program);
        let p = &program.procs[proc];
        let outgoing = p.outgoing();
        let mut at = p.entry;
        let mut way = Way { proc, from: at, start: state.clone(), returned: Vec::new() };
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            let edges = &outgoing[at];
            let id = *edges.get(rng.below(edges.len().max(1) as u64) as usize)?;
            let edge = &p.edges[id];
            let mut evaluator = Evaluator::new(&task.store, &state);
            match &edge.action {
                Action::Step(step) => {
                    if evaluator.holds(step.guard) != Ok(true) {
                        continue;
                    }
                    let values: Vec<Value> = step
                        .assigns
                        .iter()
                        .map(|&(_, t)| evaluator.eval(t))
                        .collect::<Result<_, _>>()
                        .ok()?;
                    step.assigns.iter().zip(values).for_each(|(a, value)| state.set(task.term(a.0), value));
                }
                Action::Call(call) => {
                    let callee = &program.procs[call.callee];
                    let argument = evaluator.eval(call.args[0]).ok()?;
                    let mut inner = state.clone();
                    inner.set(task.term(callee.params[0]), argument);
                    if !task.holds(&inner, (call.callee, callee.entry)) {
                        self.see(&way, &format!("the call on {id}"));
                        return None;
                    }
                    let after = self.run(rng, call.callee, inner)?;
                    let value = |v: VarId| after.value(task.term(v)).cloned();
                    for (v, _) in program.vars.iter_enumerated().filter(|(_, v)| v.kind == VarKind::Global) {
                        state.set(task.term(v), value(v)?);
                    }
                    way.returned.extend(program.vars.ids().filter_map(value));
                    if let (Some(v), Some(r)) = (call.result, callee.result) {
                        state.set(task.term(v), value(r)?);
                    }
                }
            }
            at = edge.to;
            let is_cut = task.formulas.iter().any(|(place, _)| *place == (proc, at));
            if p.locations[at].error.is_some() || is_cut && !task.holds(&state, (proc, at)) {
                self.see(&way, &at.to_string());
                return None;
            }
            if is_cut {
                self.kept += 1;
                way = Way { proc, from: at, start: state.clone(), returned: Vec::new() };
            }
            if at == p.exit {
                return Some(state);
            }
        }
    }

    /// The obligation of a way to where something is broken must hold in the values at the start, and when calls returned.
    fn see(&mut self, way: &Way, to: &str) {
        self.violations[usize::from(!way.returned.is_empty())] += 1;
        // Calls on other ways may have returned anything.
        let mut values = [&way.returned[..], &[number(0)]].concat();
        values.sort_by_key(|v| format!("{v:?}"));
        values.dedup();
        let program = &self.task.entry.program;
        let whose = match way.proc == program.entry {
            true => String::new(),
            false => format!("{}: ", program.procs[way.proc].name),
        };
        let is_about = |name: &str| {
            name.starts_with(&format!("{whose}from {},", way.from)) && name.ends_with(&format!(" to {to}"))
        };
        let about = self.found.list.iter().filter(|o| is_about(&o.name));
        let seen: Vec<Option<bool>> =
            about.map(|o| can_hold(&self.found.store, &o.formulas, &way.start, &values)).collect();
        assert!(seen.iter().any(|s| *s != Some(false)), "a way from {} to {to} is not seen", way.from);
    }
}

/// Do formulas hold in some values, with other symbols chosen from some? `None` if there are too many ways to choose.
fn can_hold(store: &Store, formulas: &[Term], known: &Model, values: &[Value]) -> Option<bool> {
    let both = [Value::Bool(false), Value::Bool(true)];
    let open: Vec<(Func, &[Value])> = store
        .symbols(formulas.iter().copied())
        .into_iter()
        .filter(|&f| known.value(f).is_none())
        .map(|f| (f, if store.decl(f).result == Sort::BOOL { &both[..] } else { values }))
        .collect();
    let ways =
        open.iter().try_fold(1_usize, |n, (_, of)| n.checked_mul(of.len()).filter(|n| *n <= MOST_CHOICES))?;
    let mut model = known.clone();
    Some((0..ways).any(|mut way| {
        for (f, of) in &open {
            model.set(*f, of[way % of.len()].clone());
            way /= of.len();
        }
        let mut evaluator = Evaluator::new(store, &model);
        formulas.iter().all(|&f| evaluator.holds(f) == Ok(true))
    }))
}

#[test]
fn executions_that_break_a_summary_are_seen() {
    let mut rng = Random::new(0x0dd_ba11_5eed_1234);
    let (mut kept, mut violations) = (0, [0; 2]);
    for n in 0..rounds(2000) {
        let task = Task::new(&mut rng);
        let found = obligations(
            task.store.clone(),
            &task.entry,
            &task.formulas,
            &Ghosts::default(),
            n % 2 == 1,
            &Budget::unlimited(),
        );
        let found = found.expect("every cycle has a formula");
        for _ in 0..40 {
            let mut state = Model::new();
            for (v, of) in task.entry.program.vars.iter_enumerated() {
                let value = if of.kind == VarKind::Global { small(&mut rng) } else { 0 };
                state.set(task.term(v), number(value));
            }
            let mut execution =
                Execution { task: &task, found: &found, fuel: 80, kept: 0, violations: [0; 2] };
            execution.run(&mut rng, task.entry.program.entry, state);
            kept += execution.kept;
            (0..2).for_each(|n| violations[n] += execution.violations[n]);
        }
    }
    let is_enough = kept > rounds(1000) && violations.iter().all(|n| *n > rounds(300));
    assert!(is_enough, "{violations:?} break what is said, {kept} keep it");
}

/// Nothing may be left out: neither a summary of what is called, nor a formula of a loop in it.
#[test]
fn what_is_missing_is_noticed() {
    let mut rng = Random::new(0x00c0_ffee_0000_0003);
    let mut refused: FxHashMap<ProcLoc, usize> = FxHashMap::default();
    for _ in 0..100 {
        let task = Task::new(&mut rng);
        for n in 0..task.formulas.len() {
            let mut fewer = task.formulas.clone();
            let (place, _) = fewer.remove(n);
            if obligations(
                task.store.clone(),
                &task.entry,
                &fewer,
                &Ghosts::default(),
                false,
                &Budget::unlimited(),
            )
            .is_err()
            {
                *refused.entry(place).or_default() += 1;
            }
        }
    }
    let (exits, others): (Vec<_>, Vec<_>) = refused.iter().partition(|(place, _)| place.1 == LocId::new(1));
    let [exit, in_loops]: [usize; 2] = [exits, others].map(|list| list.iter().map(|(_, n)| **n).sum());
    assert!(exit > 30 && in_loops > 30, "{exit} without a summary, {in_loops} loops without a formula");
}

/// What a callee of a callee does counts, too, as far as it is about globals.
#[test]
fn calls_in_calls_count() {
    let (mut store, mut program) = (Store::new(), Program::new("main"));
    let span = Span::default();
    let names = ["f", "k", "l"];
    let procs: Vec<ProcId> =
        names.iter().map(|name| program.procs.push(Procedure::new(*name, span))).collect();
    let global = program.variable(&mut store, "g", Sort::INT, VarKind::Global, None);
    let local = program.variable(&mut store, "x", Sort::INT, VarKind::Local(procs[2]), None);
    for n in 0..3 {
        let (entry, exit) = (program.procs[procs[n]].entry, program.procs[procs[n]].exit);
        match procs.get(n + 1) {
            Some(&callee) => {
                let call = Call { callee, args: Vec::new(), result: None };
                program.procs[procs[n]].call(entry, exit, call, span);
            }
            None => {
                let mut step = Step::skip(&store);
                step.assigns = [global, local].map(|v| (v, store.int(1))).to_vec();
                program.procs[procs[n]].step(entry, exit, step, span);
            }
        }
    }
    let error = program.properties.push(Property { name: "error".into(), span });
    let wrong = program.procs[procs[1]].location(span);
    program.procs[procs[1]].locations[wrong].error = Some(error);
    let entry = remember_entry(&mut store, program);
    let known = Procedures::new(&entry, &[]);
    for p in procs {
        assert!(known.changes[p].contains(&global), "{p}");
    }
    assert!(!known.changes[ProcId::new(1)].contains(&local));
    assert_eq!(known.can_err.iter().copied().collect::<Vec<_>>(), [false, true, true, false]);
}
