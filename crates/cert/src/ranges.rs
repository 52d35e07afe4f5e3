//! The ranges of variables in obligations.

use crate::Obligations;
use bolide_model::Program;
use bolide_term::{Func, Store, Term};
use rustc_hash::FxHashSet;

/// The ranges of variables, which every edge keeps by construction.
pub(crate) struct Ranges(Vec<(Func, Term)>);

impl Ranges {
    pub(crate) fn new(store: &mut Store, program: &Program) -> Ranges {
        let mut out = Vec::new();
        for v in program.vars.iter() {
            let fact = program.in_range(store, v.term, v.range);
            if let Some(symbol) = store.as_var(v.term).filter(|_| fact != store.tru()) {
                out.push((symbol, fact));
            }
        }
        Ranges(out)
    }

    /// Adds the obligation that a goal follows from premises and the ranges of the variables that occur.
    pub(crate) fn push(&self, out: &mut Obligations, name: String, mut premises: Vec<Term>, goal: Term) {
        let all = premises.iter().copied().chain([goal]);
        let known: FxHashSet<Func> = out.store.symbols(all).into_iter().collect();
        premises.extend(self.0.iter().filter(|(symbol, _)| known.contains(symbol)).map(|&(_, fact)| fact));
        out.push_goal(name, premises, goal);
    }
}
