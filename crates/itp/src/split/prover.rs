//! The L-restricted composition of the parts' consequence finders, as one saturation.
//!
//! Every fact is about two nodes: a bound on their difference, an equality or a disequality. Facts are combined by
//! the paper's rules: bounds by the linear combination rule restricted to difference (and octagonal) bounds, equalities
//! by transitivity and congruence. A part may use a fact only if it *knows* it. Instead of one finder for each part
//! that repeats what its neighbours do, each fact is deduced once and labelled with ranges of parts:
//!
//! - *birth*: the parts that can deduce it from what they know;
//! - *known*: the parts that may use it. This is the birth range if the fact is not in the language, otherwise all
//!   parts that see its terms, for then it can travel.
//!
//! Where a fact is not in the language, its strongest consequence that is (the weakening rule) travels instead.
//! **A fact never depends on later facts**, so that proofs are acyclic whatever is subsumed meanwhile.

use super::nodes::{Claim, Node, Nodes};
use super::vocabulary::Range;
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A saturation stops, without a result, when there are so many facts.
const MAX_FACTS: usize = 20_000;

/// So many contradictions are compared at most.
const MAX_CONTRADICTIONS: usize = 12;

/// So often consequences are drawn from inequalities over more than two terms: that need not come to an end.
const MAX_LINEAR_ROUNDS: usize = 6;

/// A fact, by its position.
pub(super) type FactId = u32;

/// How a fact was deduced.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// It is a hypothesis: this literal, which occurs in these parts.
    Given { literal: Term, origin: Range },
    /// Sum of two bounds, or transitivity.
    Chain([FactId; 2]),
    /// Weaker than another fact.
    Weakened(FactId),
    /// A bound on twice a term, halved.
    Halved(FactId),
    /// A sum of multiples of these facts, divided by the weight.
    Combination { facts: Box<[FactId]>, coeffs: Box<[Rational]>, weight: Rational },
    /// Applications whose arguments are equal by these facts; an instance of an axiom if there are none.
    Congruence(Box<[FactId]>),
    /// This read is at an index that differs from the written one, by this fact unless it is obvious.
    ReadPast(Node, Option<FactId>),
    /// This read is of a write at its index, or of a constant array.
    Read(Node),
}

impl Why {
    /// The facts from which it was deduced.
    pub fn premises(&self) -> &[FactId] {
        match self {
            Why::Given { .. } | Why::Read(_) => &[],
            Why::Chain(fs) => fs,
            Why::ReadPast(_, f) => f.as_slice(),
            Why::Weakened(f) | Why::Halved(f) => std::slice::from_ref(f),
            Why::Congruence(fs) | Why::Combination { facts: fs, .. } => fs,
        }
    }
}

/// Something that some parts know.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub claim: Claim,
    pub birth: Range,
    pub known: Range,
    pub why: Why,
    /// Another fact says as much to as many parts.
    subsumed: bool,
}

impl Fact {
    /// A fact that takes no part in saturation.
    pub fn aside(claim: Claim, birth: Range, known: Range, why: Why) -> Fact {
        Fact { claim, birth, known, why, subsumed: true }
    }

    pub fn is_subsumed(&self) -> bool {
        self.subsumed
    }
}

/// A hypothesis.
#[derive(Copy, Clone, Debug)]
pub(super) struct Hypothesis {
    pub literal: Term,
    /// The parts that may use it.
    pub range: Range,
    /// From the first to the last of the parts in which it occurs.
    pub origin: Range,
}

/// What a saturation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The hypotheses contradict each other by each of these facts.
    Refuted(Vec<FactId>),
    /// They do not, as far as facts of the language can tell. Two terms of which some part should know whether they
    /// are equal: the terms as a difference, and the part.
    Open(Vec<(Claim, u32)>),
}

/// The composition of the consequence finders.
pub(super) struct Prover {
    pub nodes: Nodes,
    pub facts: Vec<Fact>,
    /// Facts that lead from a node, by slot, with the node that they lead to; equalities lead both ways.
    out: Vec<Vec<(Node, FactId)>>,
    /// Bounds that lead to a node, by slot.
    into: Vec<Vec<(Node, FactId)>>,
    /// Disequalities of a node, by slot.
    apart: Vec<Vec<(Node, FactId)>>,
    /// Facts about a pair of nodes, the first in the order of the pair.
    about: FxHashMap<(Node, Node), Vec<FactId>>,
    queue: VecDeque<FactId>,
    contradictions: Vec<FactId>,
    /// Facts about more than two terms.
    pub inequalities: Vec<FactId>,
    /// Slots of the tables that are in use.
    touched: Vec<usize>,
    /// For each term the last saturation in which it took part.
    active: Vec<u32>,
    saturations: u32,
    /// The applications that take part in this saturation, by operator.
    applications: FxHashMap<Op, Vec<Node>>,
}

impl Prover {
    pub fn new(nodes: Nodes) -> Prover {
        Prover {
            nodes,
            facts: Vec::new(),
            out: Vec::new(),
            into: Vec::new(),
            apart: Vec::new(),
            about: FxHashMap::default(),
            queue: VecDeque::new(),
            contradictions: Vec::new(),
            inequalities: Vec::new(),
            touched: Vec::new(),
            active: Vec::new(),
            saturations: 0,
            applications: FxHashMap::default(),
        }
    }

    /// Deduces everything that the parts can tell each other.
    pub fn saturate(
        &mut self,
        store: &mut Store,
        hypotheses: &[Hypothesis],
        budget: &Budget,
    ) -> Result<Outcome, Interrupt> {
        self.clear();
        // All terms are made known first: whether negations are nodes must not change on the way.
        let mut claims: Vec<(Claim, Hypothesis)> = Vec::with_capacity(hypotheses.len());
        for h in hypotheses {
            claims.extend(self.nodes.claims(store, h.literal).into_iter().map(|c| (c, *h)));
        }
        for (claim, h) in claims {
            self.given(store, claim, h);
        }
        self.read_writes(store);
        let mut rounds = 0;
        loop {
            // Where there is one contradiction there mostly are others nearby, of which one has the simplest proof.
            let mut limit = MAX_FACTS;
            while let Some(f) = self.queue.pop_front() {
                if limit == MAX_FACTS && !self.contradictions.is_empty() {
                    limit = self.facts.len() + self.facts.len() / 2 + 32;
                }
                if self.facts.len() > limit || self.contradictions.len() > MAX_CONTRADICTIONS {
                    break;
                }
                budget.poll()?;
                if !self.facts[f as usize].subsumed {
                    self.combine(f);
                    self.congruences(store, f);
                }
            }
            if !self.contradictions.is_empty() {
                return Ok(Outcome::Refuted(std::mem::take(&mut self.contradictions)));
            }
            if self.facts.len() > MAX_FACTS {
                return Ok(Outcome::Open(Vec::new()));
            }
            let mut open = self.read_past_writes(store);
            if self.queue.is_empty() && rounds < MAX_LINEAR_ROUNDS {
                rounds += 1;
                self.linear_consequences();
            }
            if self.queue.is_empty() && self.contradictions.is_empty() {
                open.extend(self.arguments_apart());
                return Ok(Outcome::Open(open));
            }
        }
    }

    /// Forgets the last saturation, at the cost of what it touched.
    fn clear(&mut self) {
        self.facts.clear();
        for slot in self.touched.drain(..) {
            for lists in [&mut self.out, &mut self.into, &mut self.apart] {
                lists[slot].clear();
            }
        }
        self.about.clear();
        self.queue.clear();
        self.contradictions.clear();
        self.inequalities.clear();
        self.applications.clear();
        self.saturations += 1;
    }

    fn given(&mut self, store: &Store, claim: Claim, h: Hypothesis) {
        let (u, v) = claim.ends();
        let why = Why::Given { literal: h.literal, origin: h.origin };
        if let Claim::Linear { linear, .. } = &claim {
            let Some(range) = self.visible(linear).and_then(|r| r.meet(h.range)) else { return };
            for &(t, _) in &linear.terms {
                if let Some(n) = self.nodes.known_node(t) {
                    self.activate(store, n);
                }
            }
            self.inequalities.push(self.facts.len() as FactId);
            self.facts.push(Fact { claim, birth: range, known: range, why, subsumed: false });
            return;
        }
        let Some(range) = self.nodes.common_range(u, v).and_then(|r| r.meet(h.range)) else { return };
        self.activate(store, u);
        self.activate(store, v);
        self.add(claim, range, why);
    }

    /// Has a term and its subterms take part in this saturation.
    pub fn activate(&mut self, store: &Store, n: Node) {
        self.active.resize(self.nodes.len().max(self.active.len()), 0);
        let mut stack = vec![n];
        while let Some(n) = stack.pop() {
            if std::mem::replace(&mut self.active[n.index()], self.saturations) == self.saturations {
                continue;
            }
            let data = self.nodes.data(n);
            if !data.args.is_empty() {
                self.applications.entry(store.op(data.term)).or_default().push(n);
                stack.extend(data.args.iter().map(|a| a.node));
            }
        }
    }

    /// Does a term take part in this saturation?
    pub fn is_active(&self, n: Node) -> bool {
        self.active.get(n.index()) == Some(&self.saturations)
    }

    /// The functions of which applications take part in this saturation, in order.
    pub fn functions(&self) -> Vec<Func> {
        let function = |op: &Op| if let Op::Apply(f) = op { Some(*f) } else { None };
        let mut out: Vec<Func> = self.applications.keys().filter_map(function).collect();
        out.sort_unstable();
        out
    }

    /// The applications of an operator that take part in this saturation.
    pub fn applications(&self, op: Op) -> &[Node] {
        self.applications.get(&op).map_or(&[], Vec::as_slice)
    }

    /// Adds a fact that some parts can deduce, unless it is known already.
    pub fn add(&mut self, claim: Claim, birth: Range, why: Why) {
        let (u, v) = claim.ends();
        if self.is_contradiction(&claim) {
            self.contradictions.push(self.facts.len() as FactId);
            self.facts.push(Fact { claim, birth, known: birth, why, subsumed: true });
            return;
        }
        if u == v {
            return;
        }
        let Some(visible) = self.nodes.common_range(u, v) else { return };
        let weakened = if birth == visible { None } else { self.nodes.weakened(&claim) };
        let known = if weakened.as_ref() == Some(&claim) { visible } else { birth };
        let key = self.key(u, v);
        if self.is_subsumed(key, &claim, known) {
            return;
        }
        let id = self.facts.len() as FactId;
        let derived = weakened.filter(|w| *w != claim);
        self.enter(key, &claim, id);
        self.facts.push(Fact { claim, birth, known, why, subsumed: false });
        self.queue.push_back(id);
        if let Some(claim) = derived {
            self.add(claim, birth, Why::Weakened(id));
        }
    }

    /// Can a claim not hold?
    pub fn is_contradiction(&self, claim: &Claim) -> bool {
        let (u, v) = claim.ends();
        match *claim {
            Claim::Linear { .. } => false,
            Claim::Bound { ref c, strict, .. } => u == v && (c.is_negative() || strict && c.is_zero()),
            Claim::Apart(..) => u == v,
            Claim::Equal(..) => u != v && self.nodes.data(u).is_value && self.nodes.data(v).is_value,
        }
    }

    /// The name of a pair of nodes in the table of facts: bounds have a direction.
    fn key(&self, u: Node, v: Node) -> (Node, Node) {
        if self.nodes.is_arith(u) {
            let mirrored = (v.opposite(), u.opposite());
            if self.nodes.octagonal { (u, v).min(mirrored) } else { (u, v) }
        } else {
            (u.min(v), u.max(v))
        }
    }

    /// Does a known fact say as much to all these parts? Facts of which the opposite is true are marked.
    fn is_subsumed(&mut self, key: (Node, Node), claim: &Claim, known: Range) -> bool {
        let Some(list) = self.about.get_mut(&key) else { return false };
        let facts = &mut self.facts;
        if list.iter().any(|&f| {
            let f = &facts[f as usize];
            f.known.includes(known) && implies(&f.claim, claim)
        }) {
            return true;
        }
        list.retain(|&f| {
            let f = &mut facts[f as usize];
            f.subsumed |= known.includes(f.known) && implies(claim, &f.claim);
            !f.subsumed
        });
        false
    }

    /// Enters a fact into the tables.
    fn enter(&mut self, key: (Node, Node), claim: &Claim, id: FactId) {
        let slots = 2 * self.nodes.len();
        if self.out.len() < slots {
            self.out.resize_with(slots, Vec::new);
            self.into.resize_with(slots, Vec::new);
            self.apart.resize_with(slots, Vec::new);
        }
        self.about.entry(key).or_default().push(id);
        let (u, v) = claim.ends();
        self.touched.extend([u, v, u.opposite(), v.opposite()].map(Node::slot));
        match *claim {
            Claim::Bound { u, v, .. } => {
                self.out[u.slot()].push((v, id));
                self.into[v.slot()].push((u, id));
                if self.nodes.octagonal {
                    let (u, v) = (v.opposite(), u.opposite());
                    self.out[u.slot()].push((v, id));
                    self.into[v.slot()].push((u, id));
                }
            }
            Claim::Equal(u, v) => {
                self.out[u.slot()].push((v, id));
                self.out[v.slot()].push((u, id));
            }
            Claim::Apart(u, v) => {
                self.apart[u.slot()].push((v, id));
                self.apart[v.slot()].push((u, id));
            }
            Claim::Linear { .. } => {}
        }
    }

    /// Combines a fact with all others by sums and transitivity.
    fn combine(&mut self, f: FactId) {
        match self.facts[f as usize].claim.clone() {
            Claim::Bound { u, v, c, strict } => {
                for (w, g) in self.live(Table::Out, v) {
                    self.chain(f, g, u, w, &c, strict);
                }
                for (t, g) in self.live(Table::Into, u) {
                    self.chain(f, g, t, v, &c, strict);
                }
                if u == v.opposite() && !u.is_zero() {
                    self.halve(f, u, c, strict);
                }
            }
            Claim::Equal(u, v) => {
                for (a, b) in [(u, v), (v, u)] {
                    for (w, g) in self.live(Table::Out, b) {
                        self.link(f, g, Claim::Equal(a, w));
                    }
                    for (w, g) in self.live(Table::Apart, b) {
                        self.link(f, g, Claim::Apart(a, w));
                    }
                }
            }
            Claim::Apart(u, v) => {
                for (a, b) in [(u, v), (v, u)] {
                    for (w, g) in self.live(Table::Out, b) {
                        self.link(f, g, Claim::Apart(a, w));
                    }
                }
            }
            Claim::Linear { .. } => {}
        }
    }

    /// The entries of a table whose facts are not subsumed; others are dropped from it.
    fn live(&mut self, table: Table, n: Node) -> Vec<(Node, FactId)> {
        let lists = match table {
            Table::Out => &mut self.out,
            Table::Into => &mut self.into,
            Table::Apart => &mut self.apart,
        };
        let Some(list) = lists.get_mut(n.slot()) else { return Vec::new() };
        list.retain(|&(_, f)| !self.facts[f as usize].subsumed);
        list.clone()
    }

    /// The bounds that lead to a node, with where they come from; some may be subsumed.
    pub fn bounds_into(&self, n: Node) -> &[(Node, FactId)] {
        self.into.get(n.slot()).map_or(&[], Vec::as_slice)
    }

    /// The bounds that lead from a node, with where they lead to; some may be subsumed.
    pub fn bounds_from(&self, n: Node) -> &[(Node, FactId)] {
        self.out.get(n.slot()).map_or(&[], Vec::as_slice)
    }

    /// The parts that know both facts.
    fn meeting(&self, f: FactId, g: FactId) -> Option<Range> {
        self.facts[f as usize].known.meet(self.facts[g as usize].known)
    }

    /// The sum of two bounds that meet in a node, as a bound between the two other nodes.
    fn chain(&mut self, f: FactId, g: FactId, u: Node, v: Node, c: &Rational, strict: bool) {
        let Some(range) = self.meeting(f, g) else { return };
        let Claim::Bound { c: ref d, strict: other, .. } = self.facts[g as usize].claim else { return };
        let claim = Claim::Bound { u, v, c: c + d, strict: strict || other };
        self.add(claim, range, Why::Chain([f, g]));
    }

    fn link(&mut self, f: FactId, g: FactId, claim: Claim) {
        if let Some(range) = self.meeting(f, g) {
            self.add(claim, range, Why::Chain([f, g]));
        }
    }

    /// From `2u <= c` to `u <= c / 2`.
    fn halve(&mut self, f: FactId, u: Node, c: Rational, strict: bool) {
        let zero = Nodes::zero(self.nodes.data(u).sort);
        let (c, strict) = self.nodes.rounded(u, c / Rational::from(2), strict);
        let birth = self.facts[f as usize].known;
        self.add(Claim::Bound { u, v: zero, c, strict }, birth, Why::Halved(f));
    }

    /// The known facts about a pair of nodes, bounds from the first to the second only.
    pub fn about(&self, u: Node, v: Node) -> impl Iterator<Item = FactId> + '_ {
        self.about.get(&self.key(u, v)).into_iter().flatten().copied()
    }
}

#[derive(Copy, Clone)]
enum Table {
    Out,
    Into,
    Apart,
}

/// Does the first of two claims about the same pair of nodes imply the second?
fn implies(a: &Claim, b: &Claim) -> bool {
    match (a, b) {
        (Claim::Bound { c, strict, .. }, Claim::Bound { c: d, strict: other, .. }) => {
            c < d || c == d && (*strict || !other)
        }
        (Claim::Equal(..), Claim::Equal(..)) | (Claim::Apart(..), Claim::Apart(..)) => true,
        _ => false,
    }
}
