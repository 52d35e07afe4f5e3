//! Levels, and how to leave them.
//!
//! Every change to a fact is recorded on a trail and undone in reverse order; lists that only grow (edges, queue,
//! implied literals) are cut to the length that they had. Whatever was waiting when a level was entered waits
//! again when the level is left.
//!
//! Declarations stay. One that was made above level 0 leaves a [`Late`] entry *below* its effects on the trail.
//! Undoing it means that all traces in the tables are gone, so it is declared anew, in the old order, on the
//! level that remains; until then it is invisible. There it finds whatever congruence or implication holds without the undone facts. Each
//! declaration is redone at most once for each time that the search leaves its level, until it arrives on
//! level 0.

use super::equalities::EqId;
use super::{Euf, Node};

/// A change to be undone.
#[derive(Clone, Copy, Debug)]
pub(super) enum Undo {
    /// The class `child` was relabelled and joined with `parent`.
    Merged { child: Node, parent: Node },
    /// The application was entered in the signature table.
    Signed(Node),
    /// The class got its value.
    Valued(Node),
    /// The equality was entered in the table of leaders.
    Tabled(EqId),
    /// A group of equalities joined another.
    Joined { follower: EqId, leader: EqId },
    /// An open group of equalities was decided.
    Decided(EqId),
    /// Something that stays was declared here.
    Late(Late),
}

/// A declaration above level 0.
#[derive(Clone, Copy, Debug)]
pub(super) enum Late {
    App(Node),
    Value(Node),
    Equality(EqId),
    Atom(u32),
}

/// Lengths when a level was entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    trail: usize,
    edges: usize,
    queue: usize,
    head: usize,
    atoms: (usize, usize),
}

impl Euf {
    /// The number of levels that can be left.
    pub fn level(&self) -> usize {
        self.levels.len()
    }

    /// Enters a new level.
    pub fn push(&mut self) {
        self.levels.push(Mark {
            trail: self.trail.len(),
            edges: self.forest.edge_count(),
            queue: self.queue.len(),
            head: self.head,
            atoms: self.atoms.progress(),
        });
    }

    /// Leaves `count` levels (all of them if there are fewer): facts that were asserted there are gone. Facts
    /// that a declaration finds anew on the remaining level are processed by the next [`Euf::propagate`].
    pub fn pop(&mut self, count: usize) {
        let target = self.levels.len().saturating_sub(count);
        let Some(&mark) = self.levels.get(target) else { return };
        self.levels.truncate(target);

        let late = self.undo_to(mark.trail);
        self.forest.truncate(mark.edges);
        self.queue.truncate(mark.queue);
        self.head = mark.head;
        self.atoms.rewind(mark.atoms);
        self.conflict = self.conflict.filter(|&(level, _)| level <= target);

        for declaration in late.into_iter().rev() {
            self.declare_again(declaration);
        }
    }

    /// Undoes the trail down to a length, and returns the declarations met, youngest first.
    fn undo_to(&mut self, length: usize) -> Vec<Late> {
        let mut late = Vec::new();
        while self.trail.len() > length
            && let Some(undo) = self.trail.pop()
        {
            match undo {
                Undo::Merged { child, parent } => self.classes.split(child, parent),
                Undo::Signed(app) => self.undo_signed(app),
                Undo::Valued(representative) => self.classes.set_value_node(representative, None),
                Undo::Tabled(equality) => self.undo_tabled(equality),
                Undo::Joined { follower, leader } => self.undo_joined(follower, leader),
                Undo::Decided(leader) => self.undo_decided(leader),
                Undo::Late(declaration) => {
                    self.undo_declaration(declaration);
                    late.push(declaration);
                }
            }
        }
        late
    }

    /// Takes back what a declaration itself did; its other effects have been undone before.
    fn undo_declaration(&mut self, declaration: Late) {
        match declaration {
            Late::App(app) => self.undo_app(app),
            Late::Equality(equality) => self.undo_equality(equality),
            Late::Value(_) | Late::Atom(_) => {}
        }
    }

    fn declare_again(&mut self, declaration: Late) {
        match declaration {
            Late::App(app) => {
                if let Some(twin) = self.declare_app(app) {
                    self.queue_congruence(app, twin);
                }
            }
            Late::Value(node) => self.declare_value(node),
            Late::Equality(equality) => self.declare_equality(equality),
            Late::Atom(atom) => self.declare_atom(atom),
        }
    }

    /// Remembers a change, if its level can be left.
    pub(super) fn record(&mut self, undo: Undo) {
        if !self.levels.is_empty() {
            self.trail.push(undo);
        }
    }
}
