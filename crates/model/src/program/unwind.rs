//! All executions of a program whose loops are run through a bounded number of times, as formulas about its inputs.
//!
//! Executions are followed symbolically, all of them at once: where paths meet, their values become choices between both (as in bounded model
//! checkers: Clarke, Kroening and Lerda, *A Tool for Checking ANSI-C Programs*, TACAS 2004). What comes out is the condition on the inputs
//! under which an error is reached, and the one under which some loop goes on for longer. If neither can hold, the program is safe: no
//! invariant is needed, however many bits it would speak about.
//!
//! | module | what it holds |
//! |---|---|
//! | `order` | the order in which locations are visited |
//! | `executions` | what was followed, to read an execution off a model |
//! | `integers` | values as terms over integers |
//! | `extremes` | the least and the greatest of several integers |
//! | `words` | values as words of bits |
//! | `cases` | comparisons of words that are chosen among few, case by case |

mod cases;
mod executions;
mod extremes;
mod integers;
mod order;
mod words;

use crate::program::pass::blocks::exclusive;
use crate::{EdgeId, InputId, LocId, Procedure, Program, PropertyId, VarId};
use bolide_base::{Budget, IdVec, Interrupt, spend};
use bolide_term::{Sort, Store, Term};
use executions::{Reading, Visit};
use integers::Integers;
use order::Order;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use words::Words;

pub use executions::Executions;

/// What values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// Terms over integers: sums have normal forms.
    Integers,
    /// Words of bits.
    Words,
}

impl Numbers {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Numbers::Integers => "integers",
            Numbers::Words => "words",
        }
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Numbers> {
        [Numbers::Integers, Numbers::Words].into_iter().find(|n| n.name() == name)
    }
}

/// What the executions come to.
pub struct Unwound {
    /// For each property that may be violated, when it is.
    pub errors: Vec<(PropertyId, Term)>,
    /// When a loop goes on for longer.
    pub longer: Term,
    /// What was followed.
    pub executions: Executions,
}

/// Why there are no such formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unwindable {
    /// Something has no value of the chosen kind.
    Unsupported,
    /// The formulas become too large.
    TooLarge,
    /// The budget ran out.
    Interrupted(Interrupt),
}

impl From<Interrupt> for Unwindable {
    fn from(interrupt: Interrupt) -> Self {
        Unwindable::Interrupted(interrupt)
    }
}

impl std::fmt::Display for Unwindable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unwindable::Unsupported => f.write_str("a value of the program cannot be followed"),
            Unwindable::TooLarge => f.write_str("the formulas of the executions are too large"),
            Unwindable::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

/// Follows all executions of a program without calls in which no loop, each time that it is entered, goes round more often than `rounds`
/// times; no more than `limit` terms are made.
pub fn unwind(
    store: &mut Store,
    program: &Program,
    numbers: Numbers,
    rounds: usize,
    limit: usize,
    budget: &Budget,
) -> Result<Unwound, Unwindable> {
    let limit = store.len().saturating_add(limit);
    match numbers {
        Numbers::Integers => Unwinder::new(program, Integers::default(), rounds, limit).run(store, budget),
        Numbers::Words => {
            let mut unwound = Unwinder::new(program, Words::default(), rounds, limit).run(store, budget)?;
            unwound.longer = cases::by_cases(store, unwound.longer, limit, budget)?;
            for (_, reached) in &mut unwound.errors {
                *reached = cases::by_cases(store, *reached, limit, budget)?;
            }
            Ok(unwound)
        }
    }
}

/// How many locations of a procedure are in loops.
pub fn in_loops(procedure: &Procedure) -> usize {
    let order = Order::new(procedure);
    let mut after = 0;
    let mut count = 0;
    // Components are nested: one within another has been counted.
    for (head, last) in order.last.iter().enumerate() {
        if let Some(last) = last.filter(|_| head >= after) {
            count += last + 1 - head;
            after = last + 1;
        }
    }
    count
}

/// What values are, and how they are computed.
trait Domain {
    type Value: Clone + PartialEq;

    /// The value of a variable before anything is assigned to it; `None` if there is none.
    fn initial(&mut self, store: &mut Store, program: &Program, var: VarId) -> Option<Self::Value>;

    /// A value from outside.
    fn input(&mut self, store: &mut Store, program: &Program, input: InputId) -> Option<Self::Value>;

    /// A formula and values of terms in a state, with values of input constants.
    fn evaluate(
        &mut self,
        store: &mut Store,
        state: &Values<'_, Self::Value>,
        formula: Term,
        terms: &[Term],
    ) -> Option<(Term, Vec<Self::Value>)>;

    /// One of two values.
    fn choice(
        &mut self,
        store: &mut Store,
        condition: Term,
        yes: &Self::Value,
        no: &Self::Value,
    ) -> Option<Self::Value>;

    /// What is known of values from outside.
    fn known(&self) -> &[Term];

    /// How a value is read off a model.
    fn reading(value: &Self::Value) -> Reading;

    /// Whatever is needed for that.
    fn finish(self, executions: &mut Executions);
}

/// What terms mean.
struct Values<'a, V> {
    program: &'a Program,
    symbols: &'a FxHashMap<bolide_term::Func, VarId>,
    values: &'a IdVec<VarId, Option<V>>,
    inputs: &'a FxHashMap<Term, V>,
}

impl<V> Values<'_, V> {
    /// The variables and inputs in some terms with their values; `None` if one has none.
    fn of(&self, store: &Store, terms: &[Term]) -> Option<Vec<(Term, &V)>> {
        let mut found = Vec::new();
        for f in store.symbols(terms.iter().copied()) {
            let Some(&v) = self.symbols.get(&f) else { continue };
            found.push((self.program.vars[v].term, self.values[v].as_ref()?));
        }
        found.extend(self.inputs.iter().map(|(&t, v)| (t, v)));
        Some(found)
    }
}

/// Executions that have come to a location.
#[derive(Clone)]
struct State<V> {
    /// Which they are: formulas in order, all of which hold.
    condition: Vec<Term>,
    values: IdVec<VarId, Option<V>>,
}

struct Unwinder<'a, D: Domain> {
    program: &'a Program,
    domain: D,
    rounds: usize,
    limit: usize,
    order: Order,
    /// By position: executions to be continued.
    pending: BTreeMap<usize, State<D::Value>>,
    /// By position of a head: executions that go round once more.
    waiting: BTreeMap<usize, State<D::Value>>,
    /// By position of a head: how often the loop has gone round.
    gone_round: Vec<usize>,
    executions: Executions,
}

impl<'a, D: Domain> Unwinder<'a, D> {
    fn new(program: &'a Program, domain: D, rounds: usize, limit: usize) -> Unwinder<'a, D> {
        let order = Order::new(program.main());
        let gone_round = vec![0; order.at.len()];
        let (pending, waiting) = (BTreeMap::new(), BTreeMap::new());
        let executions = Executions::default();
        Unwinder { program, domain, rounds, limit, order, pending, waiting, gone_round, executions }
    }

    fn run(mut self, store: &mut Store, budget: &Budget) -> Result<Unwound, Unwindable> {
        let procedure = self.program.main();
        let symbols = self.program.var_of_symbol(store);
        let outgoing = procedure.outgoing();
        let mut values = IdVec::new();
        for v in self.program.vars.ids() {
            let value = self.domain.initial(store, self.program, v);
            self.executions.initial.extend(value.as_ref().map(|value| (v, D::reading(value))));
            values.push(value);
        }
        self.pending.insert(self.order.position[procedure.entry], State { condition: Vec::new(), values });
        let mut errors: BTreeMap<PropertyId, Vec<Term>> = BTreeMap::new();
        let mut longer: Vec<Term> = Vec::new();
        loop {
            budget.poll()?;
            if store.len() > self.limit {
                return Err(Unwindable::TooLarge);
            }
            let least = self.pending.keys().next().copied();
            // The innermost loop of which everything has been visited goes round once more.
            let is_visited = |head: usize| {
                let last = self.order.last[head].unwrap_or(head);
                least.is_none_or(|position| position > last)
            };
            let again = self.waiting.keys().rev().copied().find(|&head| is_visited(head));
            if let Some(head) = again
                && let Some(state) = self.waiting.remove(&head)
            {
                self.gone_round[head] += 1;
                match self.gone_round[head] > self.rounds {
                    true => longer.push(store.and(&state.condition)),
                    false => _ = self.pending.insert(head, state),
                }
                continue;
            }
            let Some((position, state)) = self.pending.pop_first() else { break };
            let location = self.order.at[position];
            if let Some(property) = procedure.locations[location].error {
                errors.entry(property).or_default().push(store.and(&state.condition));
                continue;
            }
            self.leave(store, &symbols, location, &outgoing[location], &state)?;
        }
        let known = store.and(self.domain.known());
        let all = |store: &mut Store, ways: &[Term]| {
            let some = store.or(ways);
            store.and(&[known, some])
        };
        let errors = errors.into_iter().map(|(property, ways)| (property, all(store, &ways))).collect();
        let longer = all(store, &longer);
        self.domain.finish(&mut self.executions);
        Ok(Unwound { errors, longer, executions: self.executions })
    }

    /// Continues executions along the edges of their location.
    fn leave(
        &mut self,
        store: &mut Store,
        symbols: &FxHashMap<bolide_term::Func, VarId>,
        location: LocId,
        edges: &[EdgeId],
        state: &State<D::Value>,
    ) -> Result<(), Unwindable> {
        let program = self.program;
        let procedure = program.main();
        let is_exclusive = exclusive(store, procedure, location, edges);
        // Edges of one location that share an input read the same value.
        let mut inputs: FxHashMap<Term, D::Value> = FxHashMap::default();
        let mut others_not_chosen: Vec<Term> = Vec::new();
        let mut choices: Vec<Term> = Vec::new();
        for (n, &id) in edges.iter().enumerate() {
            let edge = &procedure.edges[id];
            let step = edge.step().ok_or(Unwindable::Unsupported)?;
            for &(constant, input) in &step.inputs {
                if let Entry::Vacant(place) = inputs.entry(constant) {
                    place.insert(self.domain.input(store, program, input).ok_or(Unwindable::Unsupported)?);
                }
            }
            let mut condition = Some(state.condition.clone());
            if !is_exclusive {
                // Executions that could take several edges take the one that is chosen.
                let mut chosen = others_not_chosen.clone();
                if n + 1 < edges.len() {
                    let choice = store.fresh_var("choice", Sort::BOOL);
                    chosen.push(choice);
                    choices.push(choice);
                    others_not_chosen.push(store.not(choice));
                }
                for c in chosen {
                    condition = condition.and_then(|all| conjoined(store, all, c));
                }
            }
            let terms: Vec<Term> = step.assigns.iter().map(|a| a.1).collect();
            spend(1 + terms.len() as u64);
            let values = Values { program, symbols, values: &state.values, inputs: &inputs };
            let (guard, assigned) =
                self.domain.evaluate(store, &values, step.guard, &terms).ok_or(Unwindable::Unsupported)?;
            let Some(condition) = condition.and_then(|all| conjoined(store, all, guard)) else { continue };
            let mut next = State { condition, values: state.values.clone() };
            for (&(v, _), value) in step.assigns.iter().zip(assigned) {
                next.values[v] = Some(value);
            }
            self.arrive(store, location, edge.to, next)?;
        }
        let inputs = inputs.iter().map(|(&constant, value)| (constant, D::reading(value))).collect();
        self.executions.visits.push(Visit { location, inputs, choices });
        Ok(())
    }

    /// Executions come from one location to another one.
    fn arrive(
        &mut self,
        store: &mut Store,
        from: LocId,
        to: LocId,
        state: State<D::Value>,
    ) -> Result<(), Unwindable> {
        let (from, to) = (self.order.position[from], self.order.position[to]);
        let is_forwards = from < to;
        if is_forwards && self.order.last[to].is_some() {
            self.gone_round[to] = 0;
        }
        let other = if is_forwards { self.pending.remove(&to) } else { self.waiting.remove(&to) };
        let state = match other {
            Some(other) => self.merged(store, other, state).ok_or(Unwindable::Unsupported)?,
            None => state,
        };
        if is_forwards {
            self.pending.insert(to, state)
        } else {
            self.waiting.insert(to, state)
        };
        Ok(())
    }

    /// Executions of two kinds, which exclude each other, at one location.
    fn merged(
        &mut self,
        store: &mut Store,
        a: State<D::Value>,
        b: State<D::Value>,
    ) -> Option<State<D::Value>> {
        let is_in = |c: &Term, other: &[Term]| other.binary_search(c).is_ok();
        let (common, of_a): (Vec<Term>, Vec<Term>) =
            a.condition.iter().copied().partition(|c| is_in(c, &b.condition));
        let of_b: Vec<Term> = b.condition.iter().copied().filter(|c| !is_in(c, &common)).collect();
        let (is_a, is_b) = (store.and(&of_a), store.and(&of_b));
        let either = store.or(&[is_a, is_b]);
        let condition = conjoined(store, common, either)?;
        let mut values = IdVec::new();
        for (x, y) in a.values.iter().zip(b.values.iter()) {
            values.push(match (x, y) {
                (Some(x), Some(y)) if x == y => Some(x.clone()),
                (Some(x), Some(y)) => Some(self.domain.choice(store, is_a, x, y)?),
                _ => None,
            });
        }
        Some(State { condition, values })
    }
}

/// Formulas in order and one more; `None` if they contradict each other by inspection.
fn conjoined(store: &mut Store, mut all: Vec<Term>, formula: Term) -> Option<Vec<Term>> {
    for c in store.conjuncts(formula) {
        if c == store.fls() {
            return None;
        }
        if c == store.tru() {
            continue;
        }
        let denied = store.not(c);
        if all.binary_search(&denied).is_ok() {
            return None;
        }
        if let Err(n) = all.binary_search(&c) {
            all.insert(n, c);
        }
    }
    Some(all)
}
