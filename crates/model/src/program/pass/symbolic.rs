//! Large constants as unknown ones.
//!
//! A loop to a hundred thousand has no short execution that leaves it, so every path of a few rounds is refuted by the
//! bound, and interpolants count the rounds. But such a bound is seldom the reason why a program is correct. So the
//! constants that the program compares with become variables with an arbitrary value that never changes; only
//! their order is kept, and where they are near each other, their distance.
//!
//! The result has every execution of the program, and those with other constants besides: a proof stands, a trace means
//! nothing.

use super::{Log, slice};
use crate::program::back::map::{BackMap, Grounds};
use crate::{Action, Edge, Program, VarKind, Variable};
use bolide_base::Rational;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Smaller constants stay as they are, and so do those that have to do with the size of machine words.
const SMALLEST: i64 = 12;
const LARGEST: i64 = 1 << 29;
/// Constants so near each other keep their distance.
const NEAR: i64 = 2;
/// Programs with more of them are left alone.
const MAX_CONSTANTS: usize = 12;

/// Which constants become variables.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// The number of variables of the programs that this is for.
    vars: usize,
    /// The variables that such a program is given, and the numerals that they stand for.
    added: Vec<(Variable, Term)>,
    /// What takes the place of numerals.
    instead: FxHashMap<Term, Term>,
    /// The order of the variables.
    order: Term,
}

impl Symbolic {
    /// Chooses constants; `None` if there are none, or too many.
    pub fn plan(store: &mut Store, program: &Program) -> Option<Symbolic> {
        let mut found: BTreeSet<i64> = BTreeSet::new();
        let steps = program.main().edges.iter().filter_map(Edge::step);
        for t in store.post_order(steps.flat_map(|s| s.terms())) {
            if store.op(t) == Op::Le {
                let numerals = store.args(t).iter().filter_map(|&a| small(store.as_num(a)?));
                found.extend(numerals.filter(|&n| is_bound(n)));
            }
        }
        if found.is_empty() || found.len() > MAX_CONSTANTS {
            return None;
        }
        let mut with = program.clone();
        let (mut added, mut instead, mut order) = (Vec::new(), FxHashMap::default(), Vec::new());
        // The numeral before the next one, and what takes its place. Zero stays where it is.
        let mut before: Option<(i64, Term)> = None;
        found.insert(0);
        for n in found {
            let numeral = store.int(n);
            let new = match before {
                _ if n == 0 => numeral,
                Some((m, place)) if n - m <= NEAR => {
                    let distance = store.int(n - m);
                    store.add(&[place, distance])
                }
                _ => {
                    let v = with.variable(store, &format!("$n{n}"), Sort::INT, VarKind::Global, None);
                    added.push((with.vars[v].clone(), numeral));
                    with.vars[v].term
                }
            };
            if let Some((_, place)) = before {
                let is_less = store.lt(place, new);
                order.push(is_less);
            }
            if n != 0 {
                instead.insert(numeral, new);
            }
            before = Some((n, new));
        }
        Some(Symbolic { vars: program.vars.len(), added, instead, order: store.and(&order) })
    }

    /// The program with variables instead of constants; `None` if it is not one that the constants were chosen for.
    pub fn apply(&self, store: &mut Store, program: &Program) -> Option<Program> {
        self.record(store, program, &mut Log::default())
    }

    /// The same, with what the way back of an invariant needs.
    pub(super) fn record(&self, store: &mut Store, program: &Program, log: &mut Log) -> Option<Program> {
        if program.vars.len() != self.vars {
            return None;
        }
        let mut new = program.clone();
        let numerals = self.added.iter().map(|(v, numeral)| (new.vars.push(v.clone()), *numeral)).collect();
        let mut done = FxHashMap::default();
        let main = &mut new.procs[program.entry];
        for edge in main.edges.iter_mut() {
            let Action::Step(step) = &mut edge.action else { return None };
            step.guard = self.replace(store, &mut done, step.guard);
            step.assigns.iter_mut().for_each(|(_, t)| *t = self.replace(store, &mut done, *t));
            if edge.from == main.entry {
                step.guard = store.and(&[step.guard, self.order]);
            }
        }
        let none = program.procs.iter().map(|p| p.edges.iter().map(|_| None).collect()).collect();
        let grounds = Grounds::Numerals(numerals);
        let new = log.keep((new, BackMap { grounds, ..BackMap::identity(program, none) }));
        Some(log.keep(slice(store, &new)))
    }

    /// A term with variables instead of constants, except where these are factors or divisors.
    fn replace(&self, store: &mut Store, done: &mut FxHashMap<Term, Term>, t: Term) -> Term {
        let order: Vec<Term> = store.post_order([t]).filter(|t| !done.contains_key(t)).collect();
        for sub in order {
            let args = store.args(sub).to_vec();
            let is_kept = |n: usize| match store.op(sub) {
                Op::Mul => true,
                Op::Div | Op::Mod => n == 1,
                _ => false,
            };
            let args: Vec<Term> = args
                .iter()
                .enumerate()
                .map(|(n, a)| if is_kept(n) && store.as_num(*a).is_some() { *a } else { done[a] })
                .collect();
            let new = match self.instead.get(&sub) {
                Some(&variable) => variable,
                None => store.rebuild(sub, &args),
            };
            done.insert(sub, new);
        }
        done[&t]
    }
}

/// An integer of moderate size.
fn small(r: &Rational) -> Option<i64> {
    r.to_ibig().and_then(|v| i64::try_from(v).ok())
}

/// Is this a bound of the program's own rather than one of a machine type?
fn is_bound(n: i64) -> bool {
    let size = n.saturating_abs();
    let near = |bits: u32| (size - (1 << bits)).abs() <= 1;
    (SMALLEST..=LARGEST).contains(&size) && ![7, 8, 15, 16].into_iter().any(near)
}
