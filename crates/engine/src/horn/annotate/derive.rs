//! The derivation that a goal without subgoals stands for.

use super::Annotator;
use super::search::{Frame, Vertex};
use crate::horn::frames::Stop;
use bolide_model::horn::{Derivation, DerivationStep};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Model};

impl Annotator<'_> {
    /// Values for all resolutions on the stack.
    pub fn derivation(&mut self, stack: &[Frame], tree: &[Vertex]) -> Result<Derivation, Stop> {
        let mut solver = Solver::default();
        stack.iter().flat_map(|f| &f.decision).for_each(|&d| solver.assert(d));
        match solver.check(self.known.store, self.known.budget) {
            Answer::Sat => {}
            Answer::Unsat => return Err(Stop::Projection),
            Answer::Unknown(reason) => return Err(Stop::Solver(reason)),
        }
        let model = solver.model().cloned().unwrap_or_default();
        let mut evaluator = Evaluator::new(self.known.store, &model);
        let mut order = Vec::new();
        let mut todo = vec![0];
        while let Some(v) = todo.pop() {
            order.push(v);
            todo.extend(&tree[v].premises);
        }
        let mut place = vec![0; tree.len()];
        let mut out = Derivation::default();
        for &v in order.iter().rev() {
            let mut values = Model::new();
            for &(old, new) in &tree[v].copies {
                let value = evaluator.eval(new).map_err(|_| Stop::Projection)?;
                values.set(self.known.store.as_var(old).ok_or(Stop::Projection)?, value);
            }
            let premises = tree[v].premises.iter().map(|&p| place[p]).collect();
            place[v] = out.steps.len();
            out.steps.push(DerivationStep { clause: tree[v].clause, values, premises });
        }
        Ok(out)
    }
}
