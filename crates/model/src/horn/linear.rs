//! Linear Horn clauses as programs.
//!
//! A clause whose body has at most one predicate is a step from one control location to another: each predicate becomes
//! a location, each clause an edge, facts start at the entry, queries lead to an error. The arguments of all predicates
//! live in the same variables, as many of each sort as some predicate has. A variable that a predicate does not use
//! has the default value of its sort there, so that an invariant which mentions it means what it says with that value.
//! The constants of a clause that its body does not bind are inputs of its edge.
//!
//! An invariant of the program is an interpretation of the predicates, a trace is a derivation: [`LinearMap`].

use super::{Atom, Counterpart, Derivation, DerivationStep, Horn, Interpretation, PredId};
use crate::Trace;
use crate::{EdgeId, Input, LocId, Program, Property, Step, VarId, VarKind};
use bolide_base::IdVec;
use bolide_term::{Evaluator, Model, Sort, SortKind, Store, Substitution, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the constants of a clause get their values.
#[derive(Clone, Debug)]
struct Origin {
    /// The position of the clause.
    clause: usize,
    /// Constants that are arguments of the body, with the variables that hold them.
    bound: Vec<(Term, VarId)>,
    /// The other constants, in the order of the edge's inputs.
    free: Vec<Term>,
}

/// The way back from the program to the clauses.
#[derive(Clone, Debug)]
pub struct LinearMap {
    /// For each predicate its location.
    at: Vec<LocId>,
    /// For each predicate the variables of its parameters.
    slots: Vec<Vec<VarId>>,
    origins: IdVec<EdgeId, Origin>,
}

/// The program of a linear system: no error can be reached if and only if the system has a solution. Nothing if some
/// body has two predicates.
pub fn to_program(store: &mut Store, horn: &Horn) -> Option<(Program, LinearMap)> {
    if !horn.is_linear() {
        return None;
    }
    let mut program = Program::new("clauses");
    let slots = slots(store, horn, &mut program);
    let entry = program.entry;
    let main = &mut program.procs[entry];
    let at: Vec<LocId> = horn.preds.iter().map(|_| main.location(main.span)).collect();
    let property = Property { name: "query".into(), span: main.span };
    let error = main.location(main.span);
    main.locations[error].error = Some(program.properties.push(property));
    let mut origins = IdVec::new();
    for (n, clause) in horn.clauses.iter().enumerate() {
        let (step, origin) = translate(store, horn, &mut program, &slots, n);
        let main = &mut program.procs[entry];
        let from = clause.body.first().map_or(main.entry, |a| at[a.pred.index()]);
        let to = clause.head.as_ref().map_or(error, |a| at[a.pred.index()]);
        main.step(from, to, step, clause.span);
        origins.push(origin);
    }
    Some((program, LinearMap { at, slots, origins }))
}

/// Declares the variables; for each predicate those of its parameters.
fn slots(store: &mut Store, horn: &Horn, program: &mut Program) -> Vec<Vec<VarId>> {
    let mut of_sort: FxHashMap<Sort, Vec<VarId>> = FxHashMap::default();
    let mut out = Vec::with_capacity(horn.preds.len());
    for p in &horn.preds {
        let mut used: FxHashMap<Sort, usize> = FxHashMap::default();
        let mut own = Vec::with_capacity(p.params.len());
        for &param in &p.params {
            let sort = store.sort_of(param);
            let (n, known) = (used.entry(sort).or_default(), of_sort.entry(sort).or_default());
            if *n == known.len() {
                known.push(program.variable(store, "arg", sort, VarKind::Global, None));
            }
            own.push(known[*n]);
            *n += 1;
        }
        out.push(own);
    }
    out
}

/// The edge of a clause.
fn translate(
    store: &mut Store,
    horn: &Horn,
    program: &mut Program,
    slots: &[Vec<VarId>],
    n: usize,
) -> (Step, Origin) {
    let clause = &horn.clauses[n];
    let mut origin = Origin { clause: n, bound: Vec::new(), free: Vec::new() };
    let (mut subst, mut known) = (Substitution::new(), FxHashSet::default());
    let held = |a: &Atom| a.args.iter().copied().zip(slots[a.pred.index()].clone()).collect::<Vec<_>>();
    let body: Vec<(Term, VarId)> = clause.body.first().map_or(Vec::new(), held);
    for &(arg, slot) in &body {
        if store.as_var(arg).is_some() && known.insert(arg) {
            subst.insert(arg, program.vars[slot].term);
            origin.bound.push((arg, slot));
        }
    }
    let mut inputs = Vec::new();
    for constant in clause.variables(store) {
        if known.insert(constant) {
            let func = store.as_var(constant).expect("a variable is a constant");
            let (name, sort) = (store.decl(func).name.to_string(), store.sort_of(constant));
            let input =
                program.inputs.push(Input { name, sort, range: None, preferred: None, span: clause.span });
            let value = program.input_value(store, input);
            subst.insert(constant, value);
            inputs.push((value, input));
            origin.free.push(constant);
        }
    }
    let mut guard = vec![subst.apply(store, clause.constraint)];
    for (arg, slot) in body {
        let arg = subst.apply(store, arg);
        guard.push(store.eq(program.vars[slot].term, arg));
    }
    let after: FxHashMap<VarId, Term> =
        clause.head.as_ref().map_or(Vec::new(), held).into_iter().map(|(arg, slot)| (slot, arg)).collect();
    let mut assigns = Vec::new();
    for v in program.vars.ids().filter(|_| clause.head.is_some()) {
        let value = match after.get(&v) {
            Some(&arg) => Some(subst.apply(store, arg)),
            None => default(store, program.vars[v].sort),
        };
        assigns.extend(value.filter(|&t| t != program.vars[v].term).map(|t| (v, t)));
    }
    (Step { guard: store.and(&guard), assigns, inputs }, origin)
}

/// The value of variables that a predicate does not use; nothing if it cannot be written.
fn default(store: &mut Store, sort: Sort) -> Option<Term> {
    let is_plain = |s: Sort| !matches!(store.sort_kind(s), SortKind::Uninterpreted(_) | SortKind::Array(..));
    is_plain(sort).then(|| Value::default_of(store, sort).to_term(store, sort))
}

impl LinearMap {
    /// For each location of the program the predicate that it stands for, if it stands for one, with the parameters and the variables
    /// that stand for them.
    pub fn predicates(&self, horn: &Horn, program: &Program) -> Vec<Counterpart<PredId>> {
        let mut out: Vec<_> = program.main().locations.iter().map(|_| None).collect();
        for (pred, (&l, slots)) in horn.pred_ids().zip(self.at.iter().zip(&self.slots)) {
            let vars = slots.iter().map(|&v| program.vars[v].term);
            out[l.index()] = Some((pred, horn.pred(pred).params.iter().copied().zip(vars).collect()));
        }
        out
    }

    /// The interpretation that an invariant is: formulas for locations, those not listed being unreachable.
    pub fn interpretation(
        &self,
        store: &mut Store,
        horn: &Horn,
        program: &Program,
        formulas: &[(LocId, Term)],
    ) -> Interpretation {
        let at: FxHashMap<LocId, Term> = formulas.iter().copied().collect();
        let mut out = Vec::with_capacity(horn.preds.len());
        for (n, p) in horn.preds.iter().enumerate() {
            let mut subst = Substitution::new();
            for v in program.vars.iter() {
                if let Some(value) = default(store, v.sort) {
                    subst.insert(v.term, value);
                }
            }
            for (&slot, &param) in self.slots[n].iter().zip(&p.params) {
                subst.insert(program.vars[slot].term, param);
            }
            let formula = at.get(&self.at[n]).copied().unwrap_or(store.fls());
            out.push(subst.apply(store, formula));
        }
        Interpretation::new(out)
    }

    /// The derivation that a trace into the error is; nothing if a term has no value.
    pub fn derivation(&self, store: &Store, horn: &Horn, trace: &Trace) -> Option<Derivation> {
        let mut state: FxHashMap<VarId, Value> = FxHashMap::default();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for (n, taken) in trace.steps.iter().enumerate() {
            let origin = self.origins.get(taken.edge)?;
            let mut values = Model::new();
            for &(constant, slot) in &origin.bound {
                values.set(store.as_var(constant)?, state.get(&slot)?.clone());
            }
            for (&constant, value) in origin.free.iter().zip(&taken.inputs) {
                values.set(store.as_var(constant)?, value.clone());
            }
            let clause = &horn.clauses[origin.clause];
            if let Some(head) = &clause.head {
                let mut evaluator = Evaluator::new(store, &values);
                let facts: Option<Vec<Value>> = head.args.iter().map(|&t| evaluator.eval(t).ok()).collect();
                state = self.slots[head.pred.index()].iter().copied().zip(facts?).collect();
            }
            let premises = if clause.body.is_empty() { Vec::new() } else { vec![n.checked_sub(1)?] };
            steps.push(DerivationStep { clause: origin.clause, values, premises });
        }
        Some(Derivation::new(steps))
    }
}
