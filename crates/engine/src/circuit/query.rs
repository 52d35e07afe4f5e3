//! The queries of property directed reachability: one solver for all frames, the lemmas of a frame behind a switch.

use crate::circuit::cnf::Shape;
use crate::circuit::cube::{Cube, StateLit};
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Bit, Circuit, Node};
use bolide_sat::search::{Answer, Handle, Lit, Search};

/// The transition relation in a solver, with lemmas.
///
/// A variable of the solver is a node of the circuit. The next value of a latch is a node as well, so that there are no
/// primed variables: to ask for a successor in a cube is to assume the next values of its latches.
pub struct Queries<'a> {
    circuit: &'a Circuit,
    budget: &'a Budget,
    pub search: Search,
    shapes: Vec<Shape>,
    /// The switch of every frame; lemmas of frame `i` hold in all queries about frames up to `i`.
    switches: Vec<usize>,
    /// Nodes that belong to every domain: the constraints' cones and the latches of lemmas.
    always: Vec<usize>,
    is_always: Vec<bool>,
    visited: Vec<u32>,
    visit: u32,
    cone: Vec<usize>,
}

fn lit(bit: Bit) -> Lit {
    Lit::new(bit.index(), bit.is_negated())
}

impl<'a> Queries<'a> {
    /// What the queries may spend.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    pub fn new(circuit: &'a Circuit, budget: &'a Budget) -> Queries<'a> {
        let nodes = circuit.aig.len();
        let shapes: Vec<Shape> = circuit.aig.nodes().map(|node| Shape::of(&circuit.aig, node)).collect();
        let mut queries = Queries {
            circuit,
            budget,
            search: Search::new(nodes),
            shapes,
            switches: Vec::new(),
            always: Vec::new(),
            is_always: vec![false; nodes],
            visited: vec![0; nodes],
            visit: 0,
            cone: Vec::new(),
        };
        queries.encode();
        queries
    }

    /// Adds the clauses of all gates that something depends on, and the constraints.
    fn encode(&mut self) {
        self.search.add_clause(&[Lit::new(0, true)]);
        let roots: Vec<Bit> = self.circuit.roots().collect();
        self.collect(&roots);
        let mut cone = std::mem::take(&mut self.cone);
        cone.sort_unstable();
        for &var in &cone {
            let shape = self.shapes[var];
            shape.clauses(Lit::new(var, false), lit, |clause| {
                self.search.add_clause(clause);
            });
        }
        self.collect(&self.circuit.constraints);
        for at in 0..self.cone.len() {
            self.is_always[self.cone[at]] = true;
        }
        self.always = std::mem::take(&mut self.cone);
        for &constraint in &self.circuit.constraints {
            self.search.add_clause(&[lit(constraint)]);
        }
    }

    /// The nodes that the roots are computed from, into `cone`.
    fn collect(&mut self, roots: &[Bit]) {
        self.visit += 1;
        self.cone.clear();
        for root in roots {
            self.reach(root.index());
        }
        let mut at = 0;
        while at < self.cone.len() {
            let shape = self.shapes[self.cone[at]];
            for bit in shape.inputs() {
                self.reach(bit.index());
            }
            at += 1;
        }
    }

    fn reach(&mut self, node: usize) {
        if std::mem::replace(&mut self.visited[node], self.visit) != self.visit {
            self.cone.push(node);
        }
    }

    /// Makes room for another frame.
    pub fn add_frame(&mut self) {
        let switch = self.search.new_var();
        self.switches.push(switch);
    }

    /// From now on no state of the cube is in the frame.
    pub fn add_lemma(&mut self, cube: &Cube, frame: usize) -> Option<Handle> {
        let mut clause = vec![Lit::new(self.switches[frame], true)];
        for &state_lit in cube.lits() {
            let node = self.circuit.latches[state_lit.latch()].node.index();
            if !std::mem::replace(&mut self.is_always[node], true) {
                self.always.push(node);
            }
            clause.push(Lit::new(node, state_lit.value()));
        }
        self.search.add_clause(&clause)
    }

    /// Forgets a lemma that another one replaces.
    pub fn remove_lemma(&mut self, handle: Option<Handle>) {
        if let Some(handle) = handle {
            self.search.remove_clause(handle);
        }
    }

    /// Is there a state in the frame, and inputs, that make the root true?
    pub fn reaches_root(&mut self, frame: usize, root: Bit) -> Result<Answer, Interrupt> {
        self.ask(frame, &[root], &[])
    }

    /// Is there a state in the frame with a successor in the cube? With `outside`, the state must not be in the cube.
    pub fn reaches(&mut self, frame: usize, cube: &[StateLit], outside: bool) -> Result<Answer, Interrupt> {
        let roots: Vec<Bit> = cube.iter().map(|&lit| self.next(lit)).collect();
        let extra: Vec<Lit> = match outside {
            true => cube.iter().map(|lit| Lit::new(self.node(*lit).index(), lit.value())).collect(),
            false => Vec::new(),
        };
        self.ask(frame, &roots, &extra)
    }

    fn ask(&mut self, frame: usize, roots: &[Bit], extra: &[Lit]) -> Result<Answer, Interrupt> {
        self.budget.check()?;
        self.collect(roots);
        // Frame 0 is the initial states: no lemma is needed there.
        let first_on = if frame == 0 { self.switches.len() } else { frame };
        let mut assumptions: Vec<Lit> = self
            .switches
            .iter()
            .enumerate()
            .map(|(number, &switch)| Lit::new(switch, number < first_on))
            .collect();
        if frame == 0 {
            assumptions.extend(self.circuit.latches.iter().filter_map(|latch| {
                let node = latch.node.index();
                let is_asked = self.visited[node] == self.visit || self.is_always[node];
                Some(Lit::new(node, !latch.reset.filter(|_| is_asked)?))
            }));
        }
        assumptions.extend(roots.iter().map(|&root| lit(root)));
        let budget = self.budget;
        let domain = self.cone.iter().chain(&self.always).copied();
        match self.search.solve(&assumptions, extra, domain, &|| budget.check().is_err()) {
            Answer::Stopped => Err(self.budget.check().err().unwrap_or(Interrupt::Cancelled)),
            answer => Ok(answer),
        }
    }

    /// The bit that says whether a literal holds in the next step.
    pub fn next(&self, lit: StateLit) -> Bit {
        self.circuit.latches[lit.latch()].next ^ !lit.value()
    }

    fn node(&self, lit: StateLit) -> Node {
        self.circuit.latches[lit.latch()].node
    }

    /// The literals of the cube that the last query, which had no model, was refuted with.
    pub fn core(&self, cube: &[StateLit]) -> Vec<StateLit> {
        cube.iter().copied().filter(|&state| self.search.in_core(lit(self.next(state)))).collect()
    }

    /// The value of a leaf in the model of the last query; false where it does not matter.
    pub fn leaf(&self, node: Node) -> bool {
        self.search.value(Lit::new(node.index(), false)).unwrap_or(false)
    }

    /// Does the state of the last model have this literal?
    pub fn state_has(&self, state: StateLit) -> bool {
        self.search.value(Lit::new(self.node(state).index(), !state.value())) == Some(true)
    }
}
