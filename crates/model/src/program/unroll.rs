//! Paths in single-assignment form.
//!
//! An [`Unrolling`] follows a path edge by edge and gives each step a formula over versions of the variables: a
//! variable gets a new version exactly when a step assigns it. An interpolant between two steps speaks of the versions
//! that are current there, and [`Unrolling::to_program`] turns it into a formula over the program's variables.

use crate::{Program, Step, VarId};
use bolide_base::IdVec;
use bolide_term::{Func, Model, Store, Substitution, Term, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The formula of one step of a path.
#[derive(Clone, Debug)]
pub struct StepFormula {
    /// Guard and definitions of the new versions.
    pub formula: Term,
    /// The constants that stand for the step's inputs, in their order.
    pub inputs: Vec<Term>,
}

/// A path in single-assignment form that can be extended and cut back.
#[derive(Clone, Debug)]
pub struct Unrolling {
    /// The term of every variable after the last step.
    current: IdVec<VarId, Term>,
    /// The program's variables by their symbols.
    vars: Arc<FxHashMap<Func, (VarId, Term)>>,
    /// The variables of later versions.
    owners: FxHashMap<Term, VarId>,
    /// What a step replaced, to take it back.
    undo: Vec<Vec<(VarId, Term)>>,
    /// How many versions of each variable were ever made: a version is never reused for another value.
    versions: IdVec<VarId, u32>,
    /// How many steps were ever appended, to tell apart what they read from outside.
    steps: u32,
}

impl Unrolling {
    /// The empty path: every variable is its own version 0.
    pub fn new(store: &Store, program: &Program) -> Unrolling {
        Unrolling {
            current: program.vars.iter().map(|v| v.term).collect(),
            vars: Arc::new(
                program
                    .var_of_symbol(store)
                    .into_iter()
                    .map(|(f, v)| (f, (v, program.vars[v].term)))
                    .collect(),
            ),
            owners: FxHashMap::default(),
            undo: Vec::new(),
            versions: program.vars.iter().map(|_| 0).collect(),
            steps: 0,
        }
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.undo.len()
    }

    /// Is the path empty?
    pub fn is_empty(&self) -> bool {
        self.undo.is_empty()
    }

    /// The version of a variable after the last step.
    pub fn version(&self, var: VarId) -> Term {
        self.current[var]
    }

    /// Appends a step.
    pub fn push(&mut self, store: &mut Store, program: &Program, step: &Step) -> StepFormula {
        let mut subst = self.current_of(store, step.terms());
        let mut inputs = Vec::with_capacity(step.inputs.len());
        self.steps += 1;
        for &(constant, _) in &step.inputs {
            let func = store.as_var(constant).expect("an input is a constant");
            let name = format!("{}@{}", store.decl(func).name, self.steps);
            let version = store.var(&name, store.sort_of(constant));
            subst.insert(constant, version);
            inputs.push(version);
        }
        let mut parts = vec![subst.apply(store, step.guard)];
        let mut undo = Vec::with_capacity(step.assigns.len());
        let mut next = Vec::with_capacity(step.assigns.len());
        for &(v, t) in &step.assigns {
            let value = subst.apply(store, t);
            self.versions[v] += 1;
            let name = format!("{}#{}", program.vars[v].name, self.versions[v]);
            let version = store.var(&name, program.vars[v].sort);
            self.owners.insert(version, v);
            parts.push(store.eq(version, value));
            next.push((v, version));
        }
        for (v, version) in next {
            undo.push((v, std::mem::replace(&mut self.current[v], version)));
        }
        self.undo.push(undo);
        StepFormula { formula: store.and(&parts), inputs }
    }

    /// Takes back the last step.
    pub fn pop(&mut self) {
        for (v, t) in self.undo.pop().into_iter().flatten() {
            self.current[v] = t;
        }
    }

    /// A formula over the program's variables, said of the state after the last step.
    pub fn to_path(&self, store: &mut Store, formula: Term) -> Term {
        let mut subst = self.current_of(store, [formula]);
        subst.apply(store, formula)
    }

    /// A formula over the versions after the last step, as a formula over the program's variables. Constants that are
    /// not current versions stay as they are.
    pub fn to_program(&self, store: &mut Store, program: &Program, formula: Term) -> Term {
        let mut subst = Substitution::new();
        for f in store.symbols([formula]) {
            if store.decl(f).args.is_empty() {
                let constant = store.apply(f, &[]);
                let owner = self.owners.get(&constant).or_else(|| self.vars.get(&f).map(|(v, _)| v));
                if let Some(&v) = owner.filter(|&&v| self.current[v] == constant) {
                    subst.insert(constant, program.vars[v].term);
                }
            }
        }
        subst.apply(store, formula)
    }

    /// The value of each input constant in a model; the default of its sort where the model says nothing.
    pub fn input_values(store: &Store, model: &Model, inputs: &[Term]) -> Vec<Value> {
        let value = |&t: &Term| {
            let func = store.as_var(t).expect("an input is a constant");
            model.value(func).cloned().unwrap_or_else(|| Value::default_of(store, store.sort_of(t)))
        };
        inputs.iter().map(value).collect()
    }

    /// The substitution of the program's variables that occur in some terms by their current versions.
    fn current_of(&self, store: &Store, terms: impl IntoIterator<Item = Term>) -> Substitution {
        let mut subst = Substitution::new();
        for f in store.symbols(terms) {
            if let Some(&(v, term)) = self.vars.get(&f) {
                subst.insert(term, self.current[v]);
            }
        }
        subst
    }
}
