//! The regions of variables: between which constants of guards a value lies.

use crate::program::pass::Interval;
use crate::program::pass::narrow::{IntSum, Symbols};
use crate::{Edge, EdgeId, Program, VarId};
use bolide_base::IdVec;
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// A variable that is compared with more constants has no regions.
const MOST_CUTS: usize = 63;

/// Guards with more parts are not decided by regions.
const MOST_PARTS: usize = 2_000;

/// Some regions of a variable: one bit for each.
pub(super) type Mask = u64;

/// A variable with its regions.
pub(super) struct Divided {
    pub var: VarId,
    /// The least elements of all regions but the first, in order.
    cuts: Vec<i128>,
}

impl Divided {
    /// The region that a number lies in.
    fn region(&self, value: i128) -> usize {
        self.cuts.partition_point(|&cut| cut <= value)
    }

    /// The regions that an interval meets.
    pub fn mask(&self, of: Interval) -> Mask {
        let first = of.low.map_or(0, |low| self.region(low));
        let last = of.high.map_or(self.cuts.len(), |high| self.region(high));
        (Mask::MAX << first) & (Mask::MAX >> (63 - last))
    }

    /// All numbers of a region.
    pub fn interval(&self, region: usize) -> Interval {
        let low = region.checked_sub(1).map(|n| self.cuts[n]);
        Interval { low, high: self.cuts.get(region).map(|cut| cut - 1) }
    }
}

/// What decides a guard.
enum Part {
    /// A variable, by its number, lies in one of these regions.
    Within(usize, Mask),
    Not,
    And(usize),
    Or(usize),
    /// Something that regions say nothing about.
    Open,
}

/// The truth of a formula, if it is known.
pub(super) type Truth = Option<bool>;

/// The variables that have regions, and the guards of the entry procedure in terms of them.
pub(super) struct Regions {
    pub divided: Vec<Divided>,
    /// For each variable its number among those with regions.
    pub slots: IdVec<VarId, Option<usize>>,
    /// For each edge its guard in postfix notation.
    guards: IdVec<EdgeId, Vec<Part>>,
}

/// A comparison of a variable with constants: it lies between two numbers, or not.
struct Comparison {
    var: VarId,
    range: Interval,
}

impl Regions {
    pub fn new(store: &Store, program: &Program, symbols: &Symbols) -> Regions {
        let edges = &program.main().edges;
        let mut cuts: BTreeMap<VarId, BTreeSet<i128>> = BTreeMap::new();
        for t in store.post_order(edges.iter().filter_map(Edge::step).map(|s| s.guard)) {
            if let Some(Comparison { var, range }) = comparison(store, symbols, t) {
                let own = cuts.entry(var).or_default();
                own.extend(range.low);
                own.extend(range.high.and_then(|high| high.checked_add(1)));
            }
        }
        let divided: Vec<Divided> = cuts
            .into_iter()
            .filter(|(_, cuts)| cuts.len() <= MOST_CUTS)
            .map(|(var, cuts)| Divided { var, cuts: cuts.into_iter().collect() })
            .collect();
        let mut slots: IdVec<VarId, Option<usize>> = program.vars.iter().map(|_| None).collect();
        divided.iter().enumerate().for_each(|(n, d)| slots[d.var] = Some(n));
        let mut regions = Regions { divided, slots, guards: IdVec::new() };
        for e in edges {
            let guard = e.step().map_or_else(|| vec![Part::Open], |s| regions.parts(store, symbols, s.guard));
            regions.guards.push(guard);
        }
        regions
    }

    /// A formula in postfix notation.
    fn parts(&self, store: &Store, symbols: &Symbols, formula: Term) -> Vec<Part> {
        let mut parts = Vec::new();
        // Parts in front come last: the list is turned round at the end.
        let mut work = vec![formula];
        while let Some(t) = work.pop() {
            if parts.len() > MOST_PARTS {
                return vec![Part::Open];
            }
            let args = store.args(t);
            match store.op(t) {
                Op::True => parts.push(Part::And(0)),
                Op::False => parts.push(Part::Or(0)),
                Op::Not => parts.push(Part::Not),
                Op::And => parts.push(Part::And(args.len())),
                Op::Or => parts.push(Part::Or(args.len())),
                _ => {
                    let found = comparison(store, symbols, t);
                    let slot = found.as_ref().and_then(|c| self.slots[c.var]);
                    parts.push(match (found, slot) {
                        (Some(c), Some(slot)) => Part::Within(slot, self.divided[slot].mask(c.range)),
                        _ => Part::Open,
                    });
                    continue;
                }
            }
            work.extend(args);
        }
        parts.reverse();
        parts
    }

    /// The truth of the guard of an edge where variables lie in these regions, and a variable whose region would tell more.
    pub fn decide(&self, edge: EdgeId, masks: &[Mask], stack: &mut Vec<Truth>) -> (Truth, Option<usize>) {
        stack.clear();
        let mut unsure = None;
        for part in &self.guards[edge] {
            let value = match *part {
                Part::Open => None,
                Part::Within(slot, mask) => match (masks[slot] & mask, masks[slot] & !mask) {
                    (_, 0) => Some(true),
                    (0, _) => Some(false),
                    _ => {
                        unsure = unsure.or(Some(slot));
                        None
                    }
                },
                Part::Not => stack.pop().flatten().map(|value| !value),
                Part::And(count) => all(stack, count, true),
                Part::Or(count) => all(stack, count, false),
            };
            stack.push(value);
        }
        (stack.pop().flatten(), unsure)
    }
}

/// Pops some truth values. If all are the given one, so is the result; if one is the other one, it is the result.
fn all(stack: &mut Vec<Truth>, count: usize, neutral: bool) -> Truth {
    let start = stack.len().saturating_sub(count);
    let mut result = Some(neutral);
    for value in stack.drain(start..) {
        result = match (result, value) {
            (Some(r), _) if r != neutral => result,
            (_, Some(v)) if v != neutral => value,
            (None, _) | (_, None) => None,
            _ => result,
        };
    }
    result
}

/// Does a formula do nothing but compare variables with constants?
pub(super) fn compares(store: &Store, symbols: &Symbols, formula: Term) -> bool {
    let is_connective = |t: Term| matches!(store.op(t), Op::True | Op::False | Op::Not | Op::And | Op::Or);
    let (mut work, mut seen) = (vec![formula], FxHashSet::default());
    while let Some(t) = work.pop() {
        if is_connective(t) {
            work.extend(store.args(t).iter().filter(|&&a| seen.insert(a)));
        } else if comparison(store, symbols, t).is_none() {
            return false;
        }
    }
    true
}

/// The comparison that an atom is, if its variable is an integer of the program.
fn comparison(store: &Store, symbols: &Symbols, atom: Term) -> Option<Comparison> {
    let op = store.op(atom);
    if !matches!(op, Op::Le | Op::Eq) || store.sort_of(store.arg(atom, 0)) != Sort::INT {
        return None;
    }
    let sum = IntSum::new(&store.linear_difference(store.arg(atom, 0), store.arg(atom, 1)))?;
    let [(t, k)] = sum.terms[..] else { return None };
    let var = IntSum::variable(store, symbols, t)?;
    // The atom is `k x <= bound` or `k x = bound`.
    let bound = sum.constant.checked_neg()?;
    let range = match op {
        Op::Le if k > 0 => Interval { low: None, high: Some(bound.div_euclid(k)) },
        Op::Le => Interval { low: Some(-bound.div_euclid(-k)), high: None },
        _ if bound % k == 0 => Interval::point(bound / k),
        _ => return None,
    };
    Some(Comparison { var, range })
}
