//! In which order an unwinding is searched.

use bolide_base::IdVec;
use bolide_model::{EdgeId, LocId, Program};
use std::collections::VecDeque;

/// Which open leaf is looked at next.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest; among the successors of a vertex the one that is nearest to an error.
    #[default]
    DepthFirst,
    /// The oldest: errors are found on shortest paths.
    BreadthFirst,
}

impl Order {
    /// Takes the next leaf from those that are open, the newest being the last.
    pub fn take<T>(self, open: &mut VecDeque<T>) -> Option<T> {
        match self {
            Order::DepthFirst => open.pop_back(),
            Order::BreadthFirst => open.pop_front(),
        }
    }

    /// Puts leaves that can wait among those that are open, to be looked at last.
    pub fn postpone<T>(self, open: &mut VecDeque<T>, leaves: Vec<T>) {
        match self {
            Order::DepthFirst => leaves.into_iter().for_each(|leaf| open.push_front(leaf)),
            Order::BreadthFirst => open.extend(leaves),
        }
    }
}

/// The outgoing edges of each location, those whose target is nearest to an error last; edges from which no error can be
/// reached are left out. Also, for each location, whether no error can be reached from it.
pub fn by_distance_to_error(program: &Program) -> (IdVec<LocId, Vec<EdgeId>>, IdVec<LocId, bool>) {
    let procedure = program.main();
    let incoming = procedure.incoming();
    let mut distance: IdVec<LocId, u32> = procedure.locations.iter().map(|_| u32::MAX).collect();
    let mut queue: VecDeque<LocId> = VecDeque::new();
    for (l, location) in procedure.locations.iter_enumerated() {
        if location.error.is_some() {
            distance[l] = 0;
            queue.push_back(l);
        }
    }
    while let Some(l) = queue.pop_front() {
        for &e in &incoming[l] {
            let from = procedure.edges[e].from;
            if distance[from] == u32::MAX {
                distance[from] = distance[l] + 1;
                queue.push_back(from);
            }
        }
    }
    let mut outgoing = procedure.outgoing();
    for l in procedure.locations.ids() {
        outgoing[l].retain(|&e| distance[procedure.edges[e].to] != u32::MAX);
        outgoing[l].sort_by_key(|&e| std::cmp::Reverse(distance[procedure.edges[e].to]));
    }
    (outgoing, distance.iter().map(|&d| d == u32::MAX).collect())
}
