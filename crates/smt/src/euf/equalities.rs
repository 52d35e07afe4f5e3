//! Equalities between nodes as objects of their own: they find what a merge or a disequality decides.
//!
//! An [`Equality`] is an unordered pair of nodes on which atoms or a disequality have been seen. It behaves like
//! an application of a commutative binary function: a table maps a pair of classes to one equality between
//! them, its *leader*, and when a merge makes two pairs of classes coincide, one leader joins the group of the
//! other. Groups are circular lists, so joining takes constant time and can be undone. A disequality, or two
//! different values, decides a whole group; each atom is visited when its group is decided, and only then.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::backtrack::{Late, Undo};
use super::proof::{Apart, ApartWhy};
use super::{Euf, Node, small};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EqId(u32);

impl EqId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known about the equality of two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Open,
    Equal,
    Unequal(Apart),
}

/// The part of an equality in its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// None: its declaration was undone and is not yet repeated.
    Absent,
    Leader,
    Follower,
}

struct Equality {
    left: Node,
    right: Node,
    /// The next equality of the group, in a circle.
    next: EqId,
    role: Role,
    /// Valid for leaders. An `Equal` one is not in the table and is left alone until that is undone.
    verdict: Verdict,
    atoms: SmallVec<[u32; 2]>,
}

#[derive(Default)]
pub(super) struct Equalities {
    equalities: Vec<Equality>,
    /// The equality of each ordered pair of nodes.
    ids: FxHashMap<(Node, Node), EqId>,
    /// The leader between two different classes, given by their ordered representatives. As with signatures,
    /// keys with a class that was merged into another wait for that merge to be undone.
    leaders: FxHashMap<(Node, Node), EqId>,
    /// The equalities of which a node is a side.
    of_node: Vec<SmallVec<[EqId; 4]>>,
}

fn ordered(a: Node, b: Node) -> (Node, Node) {
    if a <= b { (a, b) } else { (b, a) }
}

impl Equalities {
    pub(super) fn add_node(&mut self) {
        self.of_node.push(SmallVec::new());
    }

    pub(super) fn add_atom(&mut self, equality: EqId, atom: u32) {
        self.equalities[equality.index()].atoms.push(atom);
    }

    pub(super) fn sides(&self, equality: EqId) -> (Node, Node) {
        let equality = &self.equalities[equality.index()];
        (equality.left, equality.right)
    }

    pub(super) fn of_node(&self, node: Node) -> &[EqId] {
        &self.of_node[node.index()]
    }

    /// Does the equality have to be looked at when a class of its sides changes?
    fn is_active(&self, equality: EqId) -> bool {
        let equality = &self.equalities[equality.index()];
        equality.role == Role::Leader && equality.verdict != Verdict::Equal
    }

    fn swap_next(&mut self, a: EqId, b: EqId) {
        let next = self.equalities[a.index()].next;
        self.equalities[a.index()].next = std::mem::replace(&mut self.equalities[b.index()].next, next);
    }

    /// The equality `a = b`, and whether it is new.
    fn intern(&mut self, a: Node, b: Node) -> (EqId, bool) {
        let fresh = EqId(small(self.equalities.len()));
        let (left, right) = ordered(a, b);
        let id = *self.ids.entry((left, right)).or_insert(fresh);
        if id == fresh {
            self.equalities.push(Equality {
                left,
                right,
                next: fresh,
                role: Role::Absent,
                verdict: Verdict::Open,
                atoms: SmallVec::new(),
            });
            self.of_node[left.index()].push(fresh);
            self.of_node[right.index()].push(fresh);
        }
        (id, id == fresh)
    }
}

impl Euf {
    /// What is known about `a = b`. If the two are apart, the left node of the answer belongs to `a`.
    pub(super) fn verdict(&self, a: Node, b: Node) -> Verdict {
        if self.same(a, b) {
            return Verdict::Equal;
        }
        match self.leader(a, b).map(|leader| self.equalities.equalities[leader.index()].verdict) {
            Some(Verdict::Unequal(apart)) => Verdict::Unequal(self.turned(apart, a)),
            _ => match self.classes.different_values(a, b) {
                Some((left, right)) => Verdict::Unequal(Apart { left, right, why: ApartWhy::Values }),
                None => Verdict::Open,
            },
        }
    }

    /// Turns a pair of nodes so that the left one belongs to the class of `a`.
    fn turned(&self, apart: Apart, a: Node) -> Apart {
        if self.same(apart.left, a) { apart } else { apart.flipped() }
    }

    fn key(&self, a: Node, b: Node) -> (Node, Node) {
        ordered(self.find(a), self.find(b))
    }

    fn leader(&self, a: Node, b: Node) -> Option<EqId> {
        self.equalities.leaders.get(&self.key(a, b)).copied()
    }

    /// The equality `a = b`, declared if it is new.
    pub(super) fn intern_equality(&mut self, a: Node, b: Node) -> EqId {
        let (equality, new) = self.equalities.intern(a, b);
        if new {
            self.declare_equality(equality);
        }
        equality
    }

    /// Brings an equality that is not in the table to its place there.
    pub(super) fn declare_equality(&mut self, equality: EqId) {
        self.record(Undo::Late(Late::Equality(equality)));
        let (left, right) = self.equalities.sides(equality);
        self.classes.add_weight(left);
        self.classes.add_weight(right);
        self.equalities.equalities[equality.index()].role = Role::Leader;
        self.place(equality);
    }

    /// Implies the atom if its equality is decided.
    pub(super) fn declare_atom(&mut self, atom: u32) {
        self.record(Undo::Late(Late::Atom(atom)));
        let (left, right) = self.equalities.sides(self.atoms.equality(atom));
        match self.verdict(left, right) {
            Verdict::Open => {}
            Verdict::Equal => self.atoms.imply(atom, None),
            Verdict::Unequal(apart) => self.atoms.imply(atom, Some(apart)),
        }
    }

    /// Records that two nodes of different classes are apart.
    pub(super) fn separate(&mut self, apart: Apart) {
        let leader = match self.leader(apart.left, apart.right) {
            Some(leader) => leader,
            // Every known equality between two classes is their leader or has joined it, so this one is new
            // and becomes the leader.
            None => self.intern_equality(apart.left, apart.right),
        };
        if self.equalities.equalities[leader.index()].verdict == Verdict::Open {
            self.decide(leader, Verdict::Unequal(apart));
        }
    }

    /// Looks again at the equalities of a node whose class has a new label or a new value.
    pub(super) fn replace_equalities_of(&mut self, node: Node) {
        for index in 0..self.equalities.of_node(node).len() {
            let equality = self.equalities.of_node(node)[index];
            if self.equalities.is_active(equality) {
                self.place(equality);
            }
        }
    }

    /// Brings an active equality to the entry of the table for its classes, and decides what this decides.
    fn place(&mut self, equality: EqId) {
        let (left, right) = self.equalities.sides(equality);
        if self.same(left, right) {
            self.decide(equality, Verdict::Equal);
            return;
        }
        let key = self.key(left, right);
        let leader = match self.equalities.leaders.entry(key) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                entry.insert(equality);
                self.record(Undo::Tabled(equality));
                equality
            }
        };
        if leader != equality {
            self.join(equality, leader);
        }
        if self.equalities.equalities[leader.index()].verdict == Verdict::Open
            && let Some((left, right)) = self.classes.different_values(left, right)
        {
            self.decide(leader, Verdict::Unequal(Apart { left, right, why: ApartWhy::Values }));
        }
    }

    /// Joins the group of `follower` with that of `leader`; if one of them is decided, so is the other.
    fn join(&mut self, follower: EqId, leader: EqId) {
        let of_follower = self.equalities.equalities[follower.index()].verdict;
        let of_leader = self.equalities.equalities[leader.index()].verdict;
        if of_leader == Verdict::Open && of_follower != Verdict::Open {
            self.decide(leader, of_follower);
        } else if of_leader != Verdict::Open && of_follower == Verdict::Open {
            self.imply_group(follower, of_leader);
        }
        self.equalities.swap_next(follower, leader);
        self.equalities.equalities[follower.index()].role = Role::Follower;
        self.record(Undo::Joined { follower, leader });
    }

    fn decide(&mut self, leader: EqId, verdict: Verdict) {
        self.equalities.equalities[leader.index()].verdict = verdict;
        self.record(Undo::Decided(leader));
        self.imply_group(leader, verdict);
    }

    /// Implies all atoms of a group that was open until now.
    fn imply_group(&mut self, first: EqId, verdict: Verdict) {
        let mut equality = first;
        loop {
            let Equality { left, next, atoms, .. } = &self.equalities.equalities[equality.index()];
            let refuted_by = match verdict {
                Verdict::Unequal(apart) => Some(self.turned(apart, *left)),
                Verdict::Equal | Verdict::Open => None,
            };
            for &atom in atoms {
                self.atoms.imply(atom, refuted_by);
            }
            equality = *next;
            if equality == first {
                return;
            }
        }
    }

    /// Undoes the declaration of an equality, which stands alone and open after its later effects are undone.
    pub(super) fn undo_equality(&mut self, equality: EqId) {
        let (left, right) = self.equalities.sides(equality);
        self.classes.remove_weight(left);
        self.classes.remove_weight(right);
        self.equalities.equalities[equality.index()].role = Role::Absent;
    }

    /// Undoes [`Undo::Tabled`]: the classes are as they were when the entry was made.
    pub(super) fn undo_tabled(&mut self, equality: EqId) {
        let (left, right) = self.equalities.sides(equality);
        let key = self.key(left, right);
        self.equalities.leaders.remove(&key);
    }

    /// Undoes [`Undo::Joined`].
    pub(super) fn undo_joined(&mut self, follower: EqId, leader: EqId) {
        self.equalities.swap_next(follower, leader);
        self.equalities.equalities[follower.index()].role = Role::Leader;
    }

    /// Undoes [`Undo::Decided`].
    pub(super) fn undo_decided(&mut self, leader: EqId) {
        self.equalities.equalities[leader.index()].verdict = Verdict::Open;
    }
}
