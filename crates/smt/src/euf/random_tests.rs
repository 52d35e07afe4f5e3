//! Random scripts of declarations, assertions, levels and late declarations, against a naive closure that is
//! recomputed from the asserted facts.

use super::check::{self, Asserted, Context};
use super::{AtomId, Claim, Euf, Explanation, Func, Node, Reason, Value};
use bolide_testkit::Random;

/// A literal that the closure handed out.
struct Delivered {
    level: usize,
    atom: AtomId,
    positive: bool,
    /// Reasons from here on had not been asserted.
    reason_bound: u32,
}

#[derive(Default, Debug)]
struct Counts {
    propagations: usize,
    conflicts: usize,
    negative: usize,
    congruences: usize,
}

/// The script so far, as the caller of the closure sees it.
#[derive(Default)]
struct Script {
    apps: Vec<Option<(Func, Vec<Node>)>>,
    values: Vec<Option<Value>>,
    atoms: Vec<(Node, Node)>,
    /// All facts ever asserted, by reason; `None` once their level was left.
    facts: Vec<Option<Asserted>>,
    /// The reasons in force, with their levels.
    active: Vec<(usize, Reason)>,
    level: usize,
    delivered: Vec<Delivered>,
    counts: Counts,
}

impl Context for Script {
    fn app(&self, node: Node) -> Option<(Func, &[Node])> {
        self.apps[node.index()].as_ref().map(|(func, args)| (*func, args.as_slice()))
    }

    fn value(&self, node: Node) -> Option<Value> {
        self.values[node.index()]
    }

    fn asserted(&self, reason: Reason) -> Option<Asserted> {
        self.facts[reason.0 as usize]
    }
}

/// The closure recomputed from nothing.
struct Oracle {
    label: Vec<usize>,
    consistent: bool,
}

impl Oracle {
    fn new(script: &Script) -> Oracle {
        let count = script.apps.len();
        let mut oracle = Oracle { label: (0..count).collect(), consistent: true };
        for (a, b) in script.equalities() {
            oracle.union(a.index(), b.index());
        }
        while (0..count).any(|a| (0..a).any(|b| oracle.congruent(script, a, b) && oracle.union(a, b))) {}
        let apart = |a: usize, b: usize| oracle.apart(script, a, b);
        oracle.consistent =
            !(0..count).any(|a| (0..=a).any(|b| oracle.label[a] == oracle.label[b] && apart(a, b)));
        oracle
    }

    /// Returns whether something changed.
    fn union(&mut self, a: usize, b: usize) -> bool {
        let (from, to) = (self.label[a], self.label[b]);
        self.label.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
        from != to
    }

    fn congruent(&self, script: &Script, a: usize, b: usize) -> bool {
        match (&script.apps[a], &script.apps[b]) {
            (Some((f, x)), Some((g, y))) => {
                f == g
                    && x.len() == y.len()
                    && x.iter().zip(y).all(|(x, y)| self.label[x.index()] == self.label[y.index()])
            }
            _ => false,
        }
    }

    /// Are the classes of the two nodes different by a disequality or by values?
    fn apart(&self, script: &Script, a: usize, b: usize) -> bool {
        let (a, b) = (self.label[a], self.label[b]);
        let disequal = script.disequalities().any(|(c, d)| {
            let (c, d) = (self.label[c.index()], self.label[d.index()]);
            (a, b) == (c, d) || (a, b) == (d, c)
        });
        let values_of = |class: usize| {
            let of_node =
                move |(node, value): (usize, &Option<Value>)| value.filter(|_| self.label[node] == class);
            script.values.iter().enumerate().filter_map(of_node)
        };
        disequal || values_of(a).any(|v| values_of(b).any(|w| v != w))
    }
}

impl Script {
    fn new() -> Script {
        Script {
            apps: vec![None, None],
            values: vec![Some(Value::TRUE), Some(Value::FALSE)],
            ..Script::default()
        }
    }

    fn active_facts(&self) -> impl Iterator<Item = Asserted> {
        self.active.iter().filter_map(|(_, reason)| self.asserted(*reason))
    }

    fn equalities(&self) -> impl Iterator<Item = (Node, Node)> {
        self.active_facts().filter_map(|fact| match fact {
            Asserted::Equal(a, b) => Some((a, b)),
            Asserted::Unequal(..) => None,
        })
    }

    fn disequalities(&self) -> impl Iterator<Item = (Node, Node)> {
        self.active_facts().filter_map(|fact| match fact {
            Asserted::Unequal(a, b) => Some((a, b)),
            Asserted::Equal(..) => None,
        })
    }

    fn random_node(&self, rng: &mut Random) -> Node {
        // The Boolean constants rarely, the rest evenly.
        if rng.one_in(8) {
            Node::from_index(rng.below(2))
        } else {
            Node::from_index(rng.below(self.apps.len()))
        }
    }

    fn declare(&mut self, euf: &mut Euf, rng: &mut Random) {
        match rng.below(12) {
            0 => {
                let node = euf.new_node();
                self.add_node(node, None);
            }
            1..=6 if self.apps.len() < 24 => {
                let func = Func(rng.below(3) as u32);
                let arity = func.0 as usize + usize::from(rng.one_in(20));
                let args: Vec<Node> = (0..arity).map(|_| self.random_node(rng)).collect();
                let app = euf.new_app(func, &args);
                self.add_node(app, Some((func, args)));
            }
            7 => {
                let node = self.random_node(rng);
                let value = Value(rng.below(3) as u64);
                let old = self.values[node.index()];
                assert_eq!(euf.mark_value(node, value), old.is_none_or(|old| old == value));
                self.values[node.index()] = Some(old.unwrap_or(value));
            }
            _ => {
                let (a, mut b) = (self.random_node(rng), self.random_node(rng));
                let atom = AtomId(self.atoms.len() as u32);
                if rng.one_in(3) {
                    b = Euf::TRUE;
                    assert!(euf.new_pred_atom(atom, a));
                } else {
                    assert!(euf.new_eq_atom(atom, a, b));
                }
                assert!(!euf.new_eq_atom(atom, b, b), "an atom is registered once");
                self.atoms.push((a, b));
            }
        }
    }

    fn add_node(&mut self, node: Node, app: Option<(Func, Vec<Node>)>) {
        assert_eq!(node.index(), self.apps.len());
        self.apps.push(app);
        self.values.push(None);
    }

    fn assert_something(&mut self, euf: &mut Euf, rng: &mut Random, disequality_every: usize) {
        let (a, b) = (self.random_node(rng), self.random_node(rng));
        let reason = Reason(self.facts.len() as u32);
        if rng.one_in(disequality_every) {
            euf.assert_diseq(a, b, reason);
            self.facts.push(Some(Asserted::Unequal(a, b)));
        } else {
            euf.assert_eq(a, b, reason);
            self.facts.push(Some(Asserted::Equal(a, b)));
        }
        self.active.push((self.level, reason));
    }

    fn push(&mut self, euf: &mut Euf) {
        euf.push();
        self.level += 1;
    }

    fn pop(&mut self, euf: &mut Euf, count: usize) {
        euf.pop(count);
        self.level = self.level.saturating_sub(count);
        assert_eq!(euf.level(), self.level);
        while let Some(&(level, reason)) = self.active.last()
            && level > self.level
        {
            self.facts[reason.0 as usize] = None;
            self.active.pop();
        }
        self.delivered.retain(|delivered| delivered.level <= self.level);
    }

    fn take(&mut self, euf: &mut Euf) {
        let (level, reason_bound) = (self.level, self.facts.len() as u32);
        for implied in euf.take_propagations() {
            self.counts.propagations += 1;
            self.counts.negative += usize::from(!implied.positive);
            assert!(self.delivered.iter().all(|old| old.atom != implied.atom), "delivered twice");
            let (atom, positive) = (implied.atom, implied.positive);
            self.delivered.push(Delivered { level, atom, positive, reason_bound });
        }
    }

    /// Propagates, and compares everything with the oracle. Returns whether the facts are consistent.
    fn propagate(&mut self, euf: &mut Euf, rng: &mut Random) -> bool {
        let oracle = Oracle::new(self);
        let result = euf.propagate();
        self.take(euf);
        assert_eq!(result.is_ok(), oracle.consistent);
        match result {
            Err(conflict) => {
                self.counts.conflicts += 1;
                self.counts.congruences += conflict.proof.congruence_count();
                assert_eq!(check::conflict(self, &conflict), Ok(()));
                assert_eq!(euf.propagate(), Err(conflict), "a conflict stays");
            }
            Ok(()) => {
                self.compare_relations(euf, &oracle);
                self.compare_propagations(&oracle);
                check_tables(euf);
            }
        }
        self.check_explanations(euf, rng);
        oracle.consistent
    }

    fn compare_relations(&mut self, euf: &mut Euf, oracle: &Oracle) {
        let nodes: Vec<Node> = (0..self.apps.len()).map(Node::from_index).collect();
        for &a in &nodes {
            for &b in &nodes {
                let equal = oracle.label[a.index()] == oracle.label[b.index()];
                assert_eq!(euf.same(a, b), equal);
                assert_eq!(euf.members(a).any(|member| member == b), equal);
                let apart = euf.apart(a, b);
                assert_eq!(apart.is_some(), oracle.apart(self, a.index(), b.index()));
                assert!(apart.is_none_or(|apart| euf.same(apart.left, a) && euf.same(apart.right, b)));
            }
            let class: Vec<Node> = nodes.iter().copied().filter(|&b| euf.same(a, b)).collect();
            let mut members: Vec<Node> = euf.members(a).collect();
            members.sort();
            assert_eq!(members, class);
            let mut parents: Vec<Node> = euf.parents(a).collect();
            parents.sort();
            parents.dedup();
            let uses_class =
                |app: &Node| self.app(*app).is_some_and(|(_, args)| args.iter().any(|x| class.contains(x)));
            assert_eq!(parents, nodes.iter().copied().filter(uses_class).collect::<Vec<_>>());
        }
    }

    /// The delivered literals are exactly the implied ones.
    fn compare_propagations(&self, oracle: &Oracle) {
        for (index, (a, b)) in self.atoms.iter().enumerate() {
            let expected = if oracle.label[a.index()] == oracle.label[b.index()] {
                Some(true)
            } else {
                oracle.apart(self, a.index(), b.index()).then_some(false)
            };
            let delivered = self.delivered.iter().find(|delivered| delivered.atom.0 as usize == index);
            assert_eq!(delivered.map(|delivered| delivered.positive), expected, "atom {index}");
        }
    }

    fn check_explanations(&mut self, euf: &mut Euf, rng: &mut Random) {
        for index in 0..self.delivered.len() {
            let Delivered { atom, positive, reason_bound, .. } = self.delivered[index];
            let explanation = euf.explain(atom).expect("a delivered literal has an explanation");
            let (a, b) = self.atoms[atom.0 as usize];
            self.check_explanation(&explanation, positive, a, b);
            assert!(explanation.reasons().iter().all(|reason| reason.0 < reason_bound));
        }
        let (a, b) = (self.random_node(rng), self.random_node(rng));
        let explanation = euf.explain_eq(a, b);
        assert_eq!(explanation.is_some(), euf.same(a, b));
        if let Some(explanation) = explanation {
            self.check_explanation(&explanation, true, a, b);
        }
        let explanation = euf.explain_diseq(a, b);
        assert_eq!(explanation.is_some(), euf.apart(a, b).is_some());
        if let Some(explanation) = explanation {
            self.check_explanation(&explanation, false, a, b);
        }
    }

    fn check_explanation(&mut self, explanation: &Explanation, positive: bool, a: Node, b: Node) {
        assert_eq!(check::explanation(self, explanation), Ok(()));
        let (claimed, c, d) = match explanation.claim {
            Claim::Equal { a, b, .. } => (true, a, b),
            Claim::Unequal { a, b, .. } => (false, a, b),
        };
        assert!(claimed == positive && ((c, d) == (a, b) || (c, d) == (b, a)));
        let proof = &explanation.proof;
        let mut pairs: Vec<(Node, Node)> = proof.paths().map(|path| proof.ends(path)).collect();
        pairs.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), proof.paths().len(), "a pair is explained once");
        self.counts.congruences += proof.congruence_count();
    }
}

/// Invariants of the data structures that the public interface does not show.
fn check_tables(euf: &Euf) {
    for index in 0..euf.node_count() {
        let node = Node::from_index(index);
        if euf.find(node) == node {
            assert_eq!(
                euf.classes.weight(node) as usize,
                euf.members(node).map(|m| weight(euf, m)).sum::<usize>()
            );
        }
        if euf.app(node).is_some() {
            let twin = euf.signatures.get(&euf.signature(node)).expect("every application is signed");
            assert!(euf.same(*twin, node));
        }
    }
}

fn weight(euf: &Euf, node: Node) -> usize {
    let as_argument = |&app: &Node| euf.terms.args(app).iter().filter(|&&arg| arg == node).count();
    let in_apps: usize = euf.terms.uses(node).iter().map(as_argument).sum();
    1 + in_apps + euf.equalities.of_node(node).len()
}

fn run_script(seed: u64, steps: usize) -> Counts {
    let mut rng = Random::new(seed);
    let mut euf = Euf::new();
    let mut script = Script::new();
    for _ in 0..3 + rng.below(8) {
        let node = euf.new_node();
        script.add_node(node, None);
    }
    let lazy = 1 + rng.below(4);
    let disequality_every = 2 + rng.below(8);
    // Level 0 cannot be left, so a script that lives long starts above it.
    if !rng.one_in(4) {
        script.push(&mut euf);
    }
    for _ in 0..steps {
        match rng.below(12) {
            0..=3 => script.declare(&mut euf, &mut rng),
            4..=7 => script.assert_something(&mut euf, &mut rng, disequality_every),
            8..=9 => script.push(&mut euf),
            10 => {
                let count = if rng.one_in(3) { 1 + rng.below(script.level + 1) } else { 1 };
                script.pop(&mut euf, count);
            }
            _ => script.take(&mut euf),
        }
        if rng.one_in(lazy) && !script.propagate(&mut euf, &mut rng) {
            if script.level == 0 {
                break;
            }
            // Sometimes the script goes on in the conflict, where nothing may break.
            if !rng.one_in(4) {
                let count = 1 + rng.below(script.level);
                script.pop(&mut euf, count);
            }
        }
    }
    script.counts
}

fn run_scripts(seeds: std::ops::Range<u64>, steps: usize) {
    let mut total = Counts::default();
    for seed in seeds {
        let counts = std::panic::catch_unwind(|| run_script(seed, steps))
            .unwrap_or_else(|_| panic!("the script of seed {seed} with {steps} steps failed"));
        total.propagations += counts.propagations;
        total.negative += counts.negative;
        total.conflicts += counts.conflicts;
        total.congruences += counts.congruences;
    }
    println!("{total:?}");
    assert!(total.conflicts > 0 && total.negative > 0 && total.propagations > total.negative);
    assert!(total.congruences > 0);
}

#[test]
fn short_scripts() {
    run_scripts(0..30_000, 20);
}

#[test]
fn long_scripts() {
    run_scripts(1_000_000..1_002_000, 150);
}
