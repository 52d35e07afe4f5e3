//! The data of a program: procedures, locations, edges, variables, inputs and properties.

use super::components::components;
use crate::Step;
use bolide_base::{IdVec, index_type};
use bolide_term::{Func, Sort, Store, Term};
use rustc_hash::FxHashMap;

index_type! {
    /// A procedure of a program.
    pub struct ProcId("f");
}
index_type! {
    /// A location of one procedure.
    pub struct LocId("l");
}
index_type! {
    /// An edge of one procedure.
    pub struct EdgeId("e");
}
index_type! {
    /// A variable of a program.
    pub struct VarId("v");
}
index_type! {
    /// A place in the task where a value comes from outside.
    pub struct InputId("i");
}
index_type! {
    /// A property to be decided, with its own verdict.
    pub struct PropertyId("p");
}

/// A stretch of the task's text, in bytes. The front end that read the text can say file, line and column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Lives as long as the program; its value before the first edge is arbitrary.
    Global,
    /// Belongs to a procedure, which assigns it before it reads it.
    Local(ProcId),
}

/// A variable. Its term denotes its value before an edge.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name, unique in the program.
    pub name: String,
    /// The constant that denotes the variable.
    pub term: Term,
    /// Its sort.
    pub sort: Sort,
    /// Global or local.
    pub kind: VarKind,
    /// Values outside this interval never occur; for an array, its elements. Every edge keeps this invariant, and the
    /// arbitrary initial value of a global obeys it too.
    pub range: Option<(i128, i128)>,
}

/// A place where a value comes from outside: a nondeterministic call, an uninitialised variable, …
#[derive(Clone, Debug)]
pub struct Input {
    /// What a reader of a trace should see, such as `__VERIFIER_nondet_int`.
    pub name: String,
    /// The sort of the values.
    pub sort: Sort,
    /// The values that it can take; for an array, its elements.
    pub range: Option<(i128, i128)>,
    /// Where a run that shows an error should take values from, if it can: addresses away from those of objects.
    pub preferred: Option<(i128, i128)>,
    /// Where it is.
    pub span: Span,
}

/// A property: no execution reaches a location that carries it.
#[derive(Clone, Debug)]
pub struct Property {
    /// A short stable name, such as `call of reach_error in main`.
    pub name: String,
    /// Where it is stated.
    pub span: Span,
}

/// Something that the program takes for granted and the user should know.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assumption {
    /// In a sentence.
    pub text: String,
    /// Where it came up.
    pub span: Span,
}

/// In which direction an edge departs from the exact meaning of the task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bias {
    /// The edge allows more than the task does: a proof stands, a trace through the edge must be replayed.
    Over,
    /// The edge allows less than the task does: a trace stands, a proof does not.
    Under,
}

/// A departure from the exact meaning of the task, so that no wrong verdict can come from it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Approximation {
    /// Its direction.
    pub bias: Bias,
    /// What was approximated.
    pub what: String,
    /// Where.
    pub span: Span,
}

/// A call of a procedure.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee.
    pub callee: ProcId,
    /// A term for each of its parameters.
    pub args: Vec<Term>,
    /// The variable that takes its result.
    pub result: Option<VarId>,
}

/// What an edge does.
#[derive(Clone, Debug)]
pub enum Action {
    /// A guard and a parallel assignment.
    Step(Step),
    /// A call.
    Call(Call),
}

/// An edge between two locations of a procedure.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
    /// What it does.
    pub action: Action,
    /// The text it comes from.
    pub span: Span,
    /// How it departs from the exact meaning; usually empty.
    pub approximations: Vec<Approximation>,
}

impl Edge {
    /// The step of an edge that is not a call.
    pub fn step(&self) -> Option<&Step> {
        match &self.action {
            Action::Step(s) => Some(s),
            Action::Call(_) => None,
        }
    }
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The text it comes from.
    pub span: Span,
    /// The property that is violated here.
    pub error: Option<PropertyId>,
    /// No two of the edges that leave it can be taken in the same state with the same values of their input constants.
    /// Two edges with complementary guards need no such mark.
    pub exclusive: bool,
}

/// A procedure: a graph with one entry and one exit.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// The variables that take the arguments of a call.
    pub params: Vec<VarId>,
    /// The variable that holds the result at the exit.
    pub result: Option<VarId>,
    /// Its locations.
    pub locations: IdVec<LocId, Location>,
    /// Its edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// Where it starts.
    pub entry: LocId,
    /// Where it returns.
    pub exit: LocId,
    /// Where it is defined.
    pub span: Span,
}

impl Procedure {
    /// Does it call procedures?
    pub fn has_calls(&self) -> bool {
        self.edges.iter().any(|e| matches!(e.action, Action::Call(_)))
    }

    /// A procedure with an entry and an exit and no edge.
    pub fn new(name: impl Into<String>, span: Span) -> Procedure {
        let mut locations = IdVec::new();
        let entry = locations.push(Location { span, ..Location::default() });
        let exit = locations.push(Location { span, ..Location::default() });
        Procedure {
            name: name.into(),
            params: Vec::new(),
            result: None,
            locations,
            edges: IdVec::new(),
            entry,
            exit,
            span,
        }
    }

    /// Adds a location.
    pub fn location(&mut self, span: Span) -> LocId {
        self.locations.push(Location { span, ..Location::default() })
    }

    /// Adds an edge that carries a step.
    pub fn step(&mut self, from: LocId, to: LocId, step: Step, span: Span) -> EdgeId {
        let action = Action::Step(step);
        self.edges.push(Edge { from, to, action, span, approximations: Vec::new() })
    }

    /// Adds an edge that carries a call.
    pub fn call(&mut self, from: LocId, to: LocId, call: Call, span: Span) -> EdgeId {
        let action = Action::Call(call);
        self.edges.push(Edge { from, to, action, span, approximations: Vec::new() })
    }

    /// For every location, the edges that leave it, in order.
    pub fn outgoing(&self) -> IdVec<LocId, Vec<EdgeId>> {
        self.incident(|e| e.from)
    }

    /// For every location, the edges that lead to it, in order.
    pub fn incoming(&self) -> IdVec<LocId, Vec<EdgeId>> {
        self.incident(|e| e.to)
    }

    /// All locations, each after those that the graph leads to from it, but for loops. Those that the graph leads to from the entry come first.
    pub fn post_order(&self) -> Vec<LocId> {
        let outgoing = self.outgoing();
        let mut is_seen: IdVec<LocId, bool> = self.locations.iter().map(|_| false).collect();
        let mut order = Vec::with_capacity(self.locations.len());
        for root in [self.entry].into_iter().chain(self.locations.ids()) {
            let is_new = !std::mem::replace(&mut is_seen[root], true);
            let mut path: Vec<(LocId, usize)> = is_new.then_some((root, 0)).into_iter().collect();
            while let Some((at, next)) = path.last_mut() {
                match outgoing[*at].get(*next) {
                    Some(&e) => {
                        *next += 1;
                        let to = self.edges[e].to;
                        if !std::mem::replace(&mut is_seen[to], true) {
                            path.push((to, 0));
                        }
                    }
                    None => {
                        order.push(*at);
                        path.pop();
                    }
                }
            }
        }
        order
    }

    /// A number for each location, the same for two of them if each can be reached from the other.
    pub fn components(&self) -> IdVec<LocId, u32> {
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        self.edges.iter().for_each(|e| successors[e.from.index()].push(e.to.index()));
        components(&successors).into_iter().collect()
    }

    /// For every location, whether the graph leads from it to an error.
    pub fn leads_to_error(&self) -> IdVec<LocId, bool> {
        self.leads_to(self.locations.ids().filter(|&l| self.locations[l].error.is_some()))
    }

    /// For every location, whether it is one of some locations or the graph leads from it to one of them.
    pub fn leads_to(&self, ends: impl IntoIterator<Item = LocId>) -> IdVec<LocId, bool> {
        let incoming = self.incoming();
        let mut leads: IdVec<LocId, bool> = self.locations.iter().map(|_| false).collect();
        let mut work: Vec<LocId> = ends.into_iter().collect();
        work.iter().for_each(|&l| leads[l] = true);
        while let Some(l) = work.pop() {
            for &e in &incoming[l] {
                let from = self.edges[e].from;
                if !std::mem::replace(&mut leads[from], true) {
                    work.push(from);
                }
            }
        }
        leads
    }

    fn incident(&self, end: impl Fn(&Edge) -> LocId) -> IdVec<LocId, Vec<EdgeId>> {
        let mut lists: IdVec<LocId, Vec<EdgeId>> = self.locations.iter().map(|_| Vec::new()).collect();
        for (id, e) in self.edges.iter_enumerated() {
            lists[end(e)].push(id);
        }
        lists
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The procedures.
    pub procs: IdVec<ProcId, Procedure>,
    /// All variables, global and local.
    pub vars: IdVec<VarId, Variable>,
    /// All inputs.
    pub inputs: IdVec<InputId, Input>,
    /// All properties.
    pub properties: IdVec<PropertyId, Property>,
    /// Where execution starts.
    pub entry: ProcId,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
}

impl Program {
    /// A program with one empty procedure, its entry.
    pub fn new(entry: impl Into<String>) -> Program {
        let mut procs = IdVec::new();
        let entry = procs.push(Procedure::new(entry, Span::default()));
        Program {
            procs,
            vars: IdVec::new(),
            inputs: IdVec::new(),
            properties: IdVec::new(),
            entry,
            assumptions: Vec::new(),
        }
    }

    /// The procedure where execution starts.
    pub fn main(&self) -> &Procedure {
        &self.procs[self.entry]
    }

    /// Declares a variable; its term is the constant of that name, or a fresh one where the name is taken.
    pub fn variable(
        &mut self,
        store: &mut Store,
        name: &str,
        sort: Sort,
        kind: VarKind,
        range: Option<(i128, i128)>,
    ) -> VarId {
        let before = store.num_funcs();
        let mut term = store.var(name, sort);
        if store.num_funcs() == before {
            term = store.fresh_var(name, sort);
        }
        let func = store.as_var(term).expect("a variable is a constant");
        let name = store.decl(func).name.to_string();
        self.vars.push(Variable { name, term, sort, kind, range })
    }

    /// A fresh constant for the next value of an input, to be used in one step.
    pub fn input_value(&self, store: &mut Store, input: InputId) -> Term {
        store.fresh_var("in", self.inputs[input].sort)
    }

    /// The step that gives a variable an arbitrary value of an input.
    pub fn havoc(&self, store: &mut Store, var: VarId, input: InputId) -> Step {
        let value = self.input_value(store, input);
        let guard = self.in_range(store, value, self.inputs[input].range);
        Step { guard, assigns: vec![(var, value)], inputs: vec![(value, input)] }
    }

    /// The formula saying that an Int term lies in a range; true where there is none or the term is no Int.
    pub fn in_range(&self, store: &mut Store, t: Term, range: Option<(i128, i128)>) -> Term {
        match range {
            Some((low, high)) if store.sort_of(t) == Sort::INT => {
                let (low, high) = (int_term(store, low), int_term(store, high));
                let (a, b) = (store.le(low, t), store.le(t, high));
                store.and(&[a, b])
            }
            _ => store.tru(),
        }
    }

    /// The variables by the symbols of their terms.
    pub fn var_of_symbol(&self, store: &Store) -> FxHashMap<Func, VarId> {
        let symbol = |t: Term| store.as_var(t).expect("a variable is a constant");
        self.vars.iter_enumerated().map(|(id, v)| (symbol(v.term), id)).collect()
    }

    /// Total number of locations and of edges.
    pub fn size(&self) -> (usize, usize) {
        self.procs.iter().fold((0, 0), |(l, e), p| (l + p.locations.len(), e + p.edges.len()))
    }
}

/// The numeral of a wide integer.
pub(crate) fn int_term(store: &mut Store, value: i128) -> Term {
    match i64::try_from(value) {
        Ok(v) => store.int(v),
        Err(_) => {
            let value = bolide_base::Rational::from(bolide_base::IBig::from(value));
            store.num(value, Sort::INT)
        }
    }
}
