//! Reach facts, and the ground derivation that they stand for.

use super::Pdr;
use crate::horn::frames::{Frames, Stop};
use bolide_model::horn::{Derivation, DerivationStep};
use bolide_smt::{Answer, Solver};
use bolide_term::{Evaluator, Value};
use rustc_hash::FxHashMap;

/// A fact to be derived: a member of a reach fact.
type Member = (usize, Vec<Value>);

impl Pdr<'_> {
    /// The derivation of false that the last reach fact stands for.
    pub fn derivation(&mut self) -> Result<Option<Derivation>, Stop> {
        let Some(root) = self.known.reach.len().checked_sub(1) else { return Ok(None) };
        let mut out = Derivation::default();
        let mut places: FxHashMap<Member, usize> = FxHashMap::default();
        // Members whose premises are being derived, with their values.
        let mut stack: Vec<(Member, DerivationStep, Vec<Member>)> = Vec::new();
        let Some(first) = self.ground((root, Vec::new()))? else { return Ok(None) };
        stack.push(first);
        while let Some((member, step, premises)) = stack.last_mut() {
            match premises.get(step.premises.len()) {
                Some(next) => match places.get(next) {
                    Some(&at) => step.premises.push(at),
                    None => {
                        let next = next.clone();
                        let Some(frame) = self.ground(next)? else { return Ok(None) };
                        stack.push(frame);
                    }
                },
                None => {
                    places.insert(member.clone(), out.steps.len());
                    out.steps.push(step.clone());
                    stack.pop();
                }
            }
        }
        Ok(Some(out))
    }

    /// Values for the rule that derives a member, and the members that it needs.
    fn ground(&mut self, member: Member) -> Result<Option<(Member, DerivationStep, Vec<Member>)>, Stop> {
        let Frames { store, rules, reach: facts, budget, .. } = &mut self.known;
        let reach = facts[member.0].clone();
        let r = &mut rules[reach.rule];
        let mut solver = Solver::default();
        solver.assert(r.constraint);
        for (&arg, value) in r.head_args.iter().zip(&member.1) {
            let sort = store.sort_of(arg);
            let value = value.to_term(store, sort);
            let equal = store.eq(arg, value);
            solver.assert(equal);
        }
        for (p, &n) in r.premises.iter_mut().zip(&reach.premises) {
            let here = p.at(store, facts[n].formula);
            solver.assert(here);
        }
        match solver.check(store, budget) {
            Answer::Sat => {}
            Answer::Unsat => return Ok(None),
            Answer::Unknown(reason) => return Err(Stop::Solver(reason)),
        }
        let Some(model) = solver.model().cloned() else { return Ok(None) };
        let mut needed = Vec::new();
        let mut evaluator = Evaluator::new(store, &model);
        for (p, &n) in r.premises.iter().zip(&reach.premises) {
            let values: Option<Vec<Value>> = p.args.iter().map(|&a| evaluator.eval(a).ok()).collect();
            let Some(values) = values else { return Ok(None) };
            needed.push((n, values));
        }
        let step = DerivationStep { clause: reach.rule, values: model, premises: Vec::new() };
        Ok(Some((member, step, needed)))
    }
}
