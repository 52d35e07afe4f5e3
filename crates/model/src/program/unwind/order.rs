//! The order in which locations are visited: a weak topological order (Bourdoncle, *Efficient Chaotic Iteration Strategies with
//! Widenings*, FMPA 1993). Components are nested; every edge that does not go forwards leads to the head of a component that it is in.

use crate::{LocId, Procedure};
use bolide_base::IdVec;

/// Positions of locations; those of a component follow each other, its head first.
pub(super) struct Order {
    /// The position of a location.
    pub(super) position: IdVec<LocId, usize>,
    /// The location at a position.
    pub(super) at: Vec<LocId>,
    /// For each position of a head the last position of its component.
    pub(super) last: Vec<Option<usize>>,
}

enum Work {
    /// Locations to be put in order, each with what leads out of it.
    Order(Vec<LocId>),
    /// One location.
    Emit(LocId),
    /// The head at a position has all its component after it.
    Close(usize),
    /// The head of a component and the rest of it.
    Component(LocId, Vec<LocId>),
}

impl Order {
    pub(super) fn new(p: &Procedure) -> Order {
        let outgoing = p.outgoing();
        let mut order = Order {
            position: p.locations.iter().map(|_| usize::MAX).collect(),
            at: Vec::new(),
            last: Vec::new(),
        };
        // The first location of those in one piece is the one that comes first in a depth-first search.
        let mut work = vec![Work::Order(depth_first(p))];
        while let Some(next) = work.pop() {
            match next {
                Work::Emit(l) => order.emit(l),
                Work::Close(head) => order.last[head] = Some(order.at.len() - 1),
                Work::Component(head, rest) => {
                    work.push(Work::Close(order.at.len()));
                    order.emit(head);
                    work.push(Work::Order(rest));
                }
                Work::Order(locations) => {
                    let successors = |l: LocId| outgoing[l].iter().map(|&e| p.edges[e].to);
                    // The last components come out first, and are dealt with last.
                    for component in components(p.locations.len(), &locations, successors) {
                        let head = component.members[0];
                        work.push(match component.is_cyclic {
                            true => Work::Component(head, component.members[1..].to_vec()),
                            false => Work::Emit(head),
                        });
                    }
                }
            }
        }
        order
    }

    fn emit(&mut self, l: LocId) {
        self.position[l] = self.at.len();
        self.at.push(l);
        self.last.push(None);
    }
}

/// The locations that the entry leads to, as they are first met.
fn depth_first(p: &Procedure) -> Vec<LocId> {
    let outgoing = p.outgoing();
    let mut is_known: IdVec<LocId, bool> = p.locations.iter().map(|_| false).collect();
    let (mut found, mut stack) = (Vec::new(), vec![p.entry]);
    while let Some(l) = stack.pop() {
        if std::mem::replace(&mut is_known[l], true) {
            continue;
        }
        found.push(l);
        stack.extend(outgoing[l].iter().rev().map(|&e| p.edges[e].to));
    }
    found
}

/// Locations each of which leads to each other one, in the order that they were given in.
struct Component {
    members: Vec<LocId>,
    is_cyclic: bool,
}

/// The strongly connected components of some locations, those that others lead to first (Tarjan's algorithm).
fn components<I: Iterator<Item = LocId>>(
    count: usize,
    locations: &[LocId],
    successors: impl Fn(LocId) -> I,
) -> Vec<Component> {
    const OUTSIDE: usize = usize::MAX;
    const UNSEEN: usize = usize::MAX - 1;
    const DONE: usize = usize::MAX - 2;
    let mut rank: Vec<usize> = vec![OUTSIDE; count];
    locations.iter().enumerate().for_each(|(n, l)| rank[l.index()] = n);
    let inner: Vec<Vec<usize>> = locations
        .iter()
        .map(|&l| successors(l).map(|to| rank[to.index()]).filter(|&r| r != OUTSIDE).collect())
        .collect();
    let mut low: Vec<usize> = vec![UNSEEN; locations.len()];
    let (mut next, mut open, mut found) = (0, Vec::new(), Vec::new());
    for root in 0..locations.len() {
        if low[root] != UNSEEN {
            continue;
        }
        let mut stack: Vec<(usize, usize, usize)> = Vec::new();
        let mut visit = Some(root);
        loop {
            if let Some(n) = visit.take() {
                low[n] = next;
                stack.push((n, next, 0));
                open.push(n);
                next += 1;
            }
            let Some((n, number, done)) = stack.last_mut() else { break };
            let (n, number) = (*n, *number);
            if let Some(&to) = inner[n].get(*done) {
                *done += 1;
                match low[to] {
                    UNSEEN => visit = Some(to),
                    DONE => {}
                    other => low[n] = low[n].min(other),
                }
                continue;
            }
            stack.pop();
            let reached = low[n];
            if reached == number {
                let mut members: Vec<usize> = Vec::new();
                while let Some(m) = open.pop() {
                    low[m] = DONE;
                    members.push(m);
                    if m == n {
                        break;
                    }
                }
                members.sort_unstable();
                let is_cyclic = members.len() > 1 || inner[n].contains(&n);
                found.push(Component { members: members.iter().map(|&m| locations[m]).collect(), is_cyclic });
            }
            if let Some((parent, ..)) = stack.last() {
                low[*parent] = low[*parent].min(reached);
            }
        }
    }
    found
}
