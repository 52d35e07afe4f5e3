//! Interpolants in conjunctive normal form, without proofs (Chockler, Ivrii and Matsliah, "Computing Interpolants
//! without Proofs", HVC 2012).
//!
//! A state that the second part allows is lifted to a cube of such states. The first part refutes the cube, and the
//! core of the refutation, with further literals dropped, is excluded from the interpolant. When the second part allows
//! no more states, the clauses are an interpolant.

use super::cnf::Shape;
use super::cube::{Cube, StateLit};
use super::lift::Lifter;
use super::unrolled_solver::UnrolledSolver;
use bolide_base::{Budget, Interrupt};
use bolide_model::circuit::{Aig, Bit, Node};
use bolide_sat::search::{Answer, Handle, Lit, Search};

/// What a model has values for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What the question depends on. Clauses about anything else are not respected.
    Cone,
    /// All there is.
    Everything,
}

/// The side of an interpolation problem that has one step: a graph that grows in a solver for many small queries, and
/// the latches that both sides share.
pub struct Side {
    search: Search,
    /// By node: its variable, and what it computes.
    vars: Vec<usize>,
    shapes: Vec<Shape>,
    /// By variable: its node.
    nodes: Vec<Option<Node>>,
    /// The bits that are the latches.
    latches: Vec<Bit>,
    /// Variables that belong to every domain: those of what is required.
    always: Vec<usize>,
    /// By variable: the last query whose domain it was found to be in; `u32::MAX` for those that always are.
    visited: Vec<u32>,
    visit: u32,
    cone: Vec<usize>,
}

impl Side {
    /// A side where the latches are these bits.
    pub fn new(aig: &Aig, latches: &[Bit]) -> Side {
        let mut side = Side {
            search: Search::new(0),
            vars: Vec::new(),
            shapes: Vec::new(),
            nodes: Vec::new(),
            latches: latches.to_vec(),
            always: Vec::new(),
            visited: Vec::new(),
            visit: 0,
            cone: Vec::new(),
        };
        side.encode(aig);
        side
    }

    /// Adds the clauses of gates that are new in the graph.
    fn encode(&mut self, aig: &Aig) {
        for node in aig.nodes().skip(self.vars.len()) {
            let out = self.new_var();
            self.nodes[out.var()] = Some(node);
            self.vars.push(out.var());
            let shape = Shape::of(aig, node);
            self.shapes.push(shape);
            let vars = &self.vars;
            let lit = |bit: Bit| Lit::new(vars[bit.index()], bit.is_negated());
            shape.clauses(out, lit, |clause| {
                self.search.add_clause(clause);
            });
            if node.index() == 0 {
                self.search.add_clause(&[!out]);
            }
        }
    }

    /// One of the bits always holds, and every query respects that.
    pub fn require(&mut self, aig: &Aig, bits: &[Bit]) {
        self.encode(aig);
        let clause: Vec<Lit> = bits.iter().map(|&bit| self.known(bit)).collect();
        self.search.add_clause(&clause);
        self.include(&clause);
    }

    /// Lets what the literals are computed from belong to every domain.
    fn include(&mut self, lits: &[Lit]) {
        self.collect(lits);
        for &var in &self.cone {
            self.visited[var] = u32::MAX;
        }
        self.always.append(&mut self.cone);
    }

    /// The literal of a bit.
    pub fn lit(&mut self, aig: &Aig, bit: Bit) -> Lit {
        self.encode(aig);
        self.known(bit)
    }

    /// The literal of a bit that the graph had when it was looked at last.
    fn known(&self, bit: Bit) -> Lit {
        Lit::new(self.vars[bit.index()], bit.is_negated())
    }

    fn new_var(&mut self) -> Lit {
        let var = self.search.new_var();
        self.nodes.resize(var + 1, None);
        self.visited.resize(var + 1, 0);
        Lit::new(var, false)
    }

    /// Says of a latch literal what it is here.
    fn latch(&self, lit: StateLit) -> Lit {
        self.known(self.latches[lit.latch()] ^ !lit.value())
    }

    /// Collects what the literals are computed from, apart from what always belongs to the domain.
    fn collect(&mut self, roots: &[Lit]) {
        self.visit += 1;
        self.cone.clear();
        for root in roots {
            self.reach(root.var());
        }
        let mut at = 0;
        while at < self.cone.len() {
            if let Some(node) = self.nodes[self.cone[at]] {
                let shape = self.shapes[node.index()];
                for bit in shape.inputs() {
                    self.reach(self.vars[bit.index()]);
                }
            }
            at += 1;
        }
    }

    fn reach(&mut self, var: usize) {
        if self.visited[var] < self.visit {
            self.visited[var] = self.visit;
            self.cone.push(var);
        }
    }

    /// Is there a model under the assumptions? It has values for what these are computed from.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Interrupt> {
        budget.check()?;
        self.collect(assumptions);
        let domain = self.cone.iter().chain(&self.always).copied();
        match self.search.solve(assumptions, &[], domain, &|| budget.check().is_err()) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Stopped => Err(budget.check().err().unwrap_or(Interrupt::Cancelled)),
        }
    }

    /// Adds a clause of bits.
    pub fn add_clause(&mut self, aig: &Aig, bits: &[Bit]) {
        self.encode(aig);
        let clause: Vec<Lit> = bits.iter().map(|&bit| self.known(bit)).collect();
        self.search.add_clause(&clause);
    }

    /// The effort of all queries.
    pub fn effort(&self) -> u64 {
        self.search.effort()
    }

    /// A new variable, to switch clauses on.
    pub fn new_switch(&mut self) -> Lit {
        self.new_var()
    }

    /// While the switch is on, one of the bits holds, and every query respects that.
    pub fn require_while(&mut self, switch: Lit, aig: &Aig, bits: &[Bit]) -> Option<Handle> {
        self.encode(aig);
        let mut clause: Vec<Lit> = bits.iter().map(|&bit| self.known(bit)).collect();
        self.include(&clause);
        clause.push(!switch);
        self.search.add_clause(&clause)
    }

    /// Turns a switch off for ever and forgets its clauses.
    pub fn retire(&mut self, switch: Lit, clauses: impl IntoIterator<Item = Handle>) {
        self.search.add_clause(&[!switch]);
        clauses.into_iter().for_each(|clause| self.search.remove_clause(clause));
    }

    /// Can all bits be true? `None` if a short search does not tell.
    pub fn try_solve(
        &mut self,
        aig: &Aig,
        bits: &[Bit],
        scope: Scope,
        budget: &Budget,
    ) -> Result<Option<bool>, Interrupt> {
        budget.check()?;
        self.encode(aig);
        let assumptions: Vec<Lit> = bits.iter().map(|&bit| self.known(bit)).collect();
        let answer = match scope {
            Scope::Cone => {
                self.collect(&assumptions);
                let domain = self.cone.iter().chain(&self.always).copied();
                self.search.solve(&assumptions, &[], domain, &|| true)
            }
            Scope::Everything => self.search.solve(&assumptions, &[], 0..self.nodes.len(), &|| true),
        };
        Ok(match answer {
            Answer::Sat => Some(true),
            Answer::Unsat => Some(false),
            Answer::Stopped => None,
        })
    }

    /// The value of a bit in the model; false if it does not matter.
    pub fn value(&self, bit: Bit) -> bool {
        self.search.value(self.known(bit)).unwrap_or(false)
    }

    /// The part of the cube that contradicts the assumptions, if there is one; else there is a model.
    pub fn refute(
        &mut self,
        given: &[Lit],
        cube: &[StateLit],
        budget: &Budget,
    ) -> Result<Option<Vec<StateLit>>, Interrupt> {
        let mut assumptions = given.to_vec();
        assumptions.extend(cube.iter().map(|&lit| self.latch(lit)));
        if self.solve(&assumptions, budget)? {
            return Ok(None);
        }
        Ok(Some(cube.iter().copied().filter(|&lit| self.search.in_core(self.latch(lit))).collect()))
    }

    /// Drops literals from a cube that contradicts the assumptions, as long as it still does.
    pub fn shrink(
        &mut self,
        given: &[Lit],
        mut cube: Vec<StateLit>,
        budget: &Budget,
    ) -> Result<Vec<StateLit>, Interrupt> {
        let mut at = 0;
        while at < cube.len() {
            let mut candidate = cube.clone();
            candidate.remove(at);
            match self.refute(given, &candidate, budget)? {
                Some(core) => cube = core,
                None => at += 1,
            }
        }
        Ok(cube)
    }
}

/// What came of an attempt to separate two sides.
pub enum Separation {
    /// The cubes that the interpolant excludes.
    Excluded(Vec<Cube>),
    /// The effort is spent.
    Open {
        /// The cubes that were excluded so far.
        excluded: Vec<Cube>,
    },
    /// The first side meets the second.
    Meet {
        /// States of the second side, one of which is met: the first side has a model of that.
        cube: Vec<StateLit>,
        /// The cubes that were excluded before.
        excluded: Vec<Cube>,
    },
}

/// The question: does `first` under its assumptions meet `second`, whose target is to be true?
pub struct Question<'a> {
    /// The side that the interpolant follows from, and its assumptions.
    pub first: (&'a mut Side, &'a [Lit]),
    /// The side that the interpolant contradicts, with its graph.
    pub second: (&'a mut UnrolledSolver, &'a Aig),
    /// The latches in the graph of the second side.
    pub latches: &'a [Bit],
    /// What the second side is about.
    pub target: Bit,
    /// Lifts states of the second side.
    pub lifter: &'a mut Lifter,
}

impl Question<'_> {
    /// Separates the sides, unless their effort exceeds the limit. Cubes of earlier separations that still do not meet
    /// the first side are used again.
    pub fn separate(self, earlier: &[Cube], limit: u64, budget: &Budget) -> Result<Separation, Interrupt> {
        let Question { first: (first, given), second: (second, aig), latches, target, lifter } = self;
        let target_lit = second.lit(aig, target);
        let latches: Vec<_> = latches.iter().map(|&bit| second.lit(aig, bit)).collect();
        let switch = second.new_switch();
        let mut excluded: Vec<Cube> = Vec::new();
        for cube in earlier {
            if let Some(core) = first.refute(given, cube.lits(), budget)? {
                second.exclude(&core, &latches, switch);
                excluded.push(Cube::new(core));
            }
        }
        while second.solve(&[switch, target_lit], budget)? {
            budget.check()?;
            let cube = lifter.lift(aig, &[target], |leaf: Node| second.value(leaf.into()));
            let Some(core) = first.refute(given, &cube, budget)? else {
                second.retire(switch);
                return Ok(Separation::Meet { cube, excluded });
            };
            let core = first.shrink(given, core, budget)?;
            second.exclude(&core, &latches, switch);
            excluded.push(Cube::new(core));
            if first.effort() + second.effort() > limit {
                second.retire(switch);
                return Ok(Separation::Open { excluded });
            }
        }
        second.retire(switch);
        Ok(Separation::Excluded(excluded))
    }
}
