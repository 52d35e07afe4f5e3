//! The solver: assertions in scopes, queries under assumptions, answers with evidence.

use crate::arith;
use crate::eliminate::{Elimination, Mark};
use crate::encode::{Encoder, InputRecord};
use crate::refute::NoRefutation;
use bolide_base::{Budget, Interrupt, Stats};
use bolide_proof::{Literal, Refutation, Rule};
use bolide_sat::{self as sat, Lit, Outcome};
use bolide_term::{Evaluator, Model, Store, Term};
use std::fmt;

/// How a solver works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Record proofs, so that [`Solver::refutation`] can give them. A solver that does is not incremental: after a
    /// [`Solver::pop`] it starts afresh.
    pub proofs: bool,
    /// Try concrete values for array indices of one assertion that an array of another is read at. Refutations then
    /// have interpolants more often, but the search may be longer. Only with proofs.
    pub concrete_indices: bool,
    /// Choose cuts besides branches for integers.
    pub cuts: bool,
    /// Seed of the random choices; the same seed gives the same run.
    pub seed: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config { proofs: false, concrete_indices: false, cuts: true, seed: 0 }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A limit was reached, or the caller cancelled.
    Interrupted(Interrupt),
    /// Products of variables or divisions by variables.
    NonLinear,
    /// Quantified formulas.
    Quantifier,
    /// The model that was found does not satisfy the assertions; this is a defect.
    ModelRejected,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Interrupted(i) => write!(f, "{i}"),
            Reason::NonLinear => f.write_str("non-linear arithmetic"),
            Reason::Quantifier => f.write_str("quantifiers"),
            Reason::ModelRejected => f.write_str("incomplete: the candidate model was rejected"),
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The assertions hold together; [`Solver::model`] shows how.
    Sat,
    /// They do not; [`Solver::core`] and [`Solver::refutation`] show why.
    Unsat,
    /// Neither was shown.
    Unknown(Reason),
}

/// A scope opened by [`Solver::push`].
#[derive(Clone, Debug)]
struct Frame {
    /// Number of assertions when it was opened.
    assertions: usize,
    /// Number of SAT variables when it was opened, to estimate what dies with it.
    vars: usize,
    /// The literal under which its assertions hold; made when needed.
    selector: Option<Lit>,
    /// The definitions in force before its first assertion was encoded; valid once one was.
    mark: Option<Mark>,
}

/// An incremental SMT solver with scopes, assumptions, models, cores and proofs.
///
/// ```
/// use bolide_base::Budget;
/// use bolide_smt::{Answer, Solver};
/// use bolide_term::Store;
/// let mut store = Store::new();
/// let int = store.int_sort();
/// let (x, one) = (store.var("x", int), store.int(1));
/// let mut solver = Solver::default();
/// let positive = store.ge(x, one);
/// solver.assert(positive);
/// assert_eq!(solver.check(&mut store, &Budget::unlimited()), Answer::Sat);
/// solver.push();
/// let negative = store.not(positive);
/// solver.assert(negative);
/// assert_eq!(solver.check(&mut store, &Budget::unlimited()), Answer::Unsat);
/// solver.pop(1);
/// assert_eq!(solver.check(&mut store, &Budget::unlimited()), Answer::Sat);
/// ```
#[derive(Default)]
pub struct Solver {
    config: Config,
    assertions: Vec<Term>,
    /// How many assertions are in the encoder.
    encoded: usize,
    frames: Vec<Frame>,
    encoder: Option<Encoder>,
    elimination: Elimination,
    /// SAT variables that only closed scopes used.
    dead_vars: usize,
    /// The model of the last satisfiable query.
    model: Option<Model>,
    /// The last query was satisfiable, its model was not asked for, and the encoder has not changed since.
    is_unconfirmed: bool,
    /// Assumptions that the last unsatisfiable query needed.
    core: Vec<Term>,
    queries: u64,
}

/// Rebuilding pays when so many variables are dead.
const DEAD_LIMIT: usize = 2000;
/// How often a query has the values of products corrected.
const CORRECTIONS: u32 = 300;

impl Solver {
    /// A solver without assertions.
    pub fn new(config: Config) -> Solver {
        Solver { config, ..Solver::default() }
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        let vars = self.encoder.as_ref().map_or(0, |e| e.atoms.len());
        self.frames.push(Frame { assertions: self.assertions.len(), vars, selector: None, mark: None });
    }

    /// Closes the last `n` scopes, or all if there are fewer.
    pub fn pop(&mut self, n: usize) {
        let kept = self.frames.len().saturating_sub(n);
        let Some(frame) = self.frames.get(kept) else { return };
        self.is_unconfirmed = false;
        self.assertions.truncate(frame.assertions);
        let (vars, encoded_before) = (frame.vars, self.encoded);
        self.encoded = self.encoded.min(self.assertions.len());
        let closed: Vec<Frame> = self.frames.drain(kept..).collect();
        if let Some(mark) = closed.iter().find_map(|f| f.mark) {
            self.elimination.return_to(mark);
        }
        let Some(encoder) = &mut self.encoder else { return };
        if self.config.proofs && self.encoded < encoded_before {
            self.encoder = None;
            self.encoded = 0;
            return;
        }
        let now = encoder.atoms.len();
        self.dead_vars += now - vars.min(now);
        if self.dead_vars > DEAD_LIMIT && self.dead_vars > 2 * vars {
            self.start_afresh();
            return;
        }
        for selector in closed.iter().filter_map(|f| f.selector) {
            encoder.sat.add_clause(&[!selector]);
        }
    }

    /// Forgets everything encoded; the assertions are encoded again when needed.
    fn start_afresh(&mut self) {
        self.encoder = None;
        self.elimination = Elimination::default();
        self.encoded = 0;
        self.dead_vars = 0;
        for frame in &mut self.frames {
            frame.selector = None;
            frame.mark = None;
            frame.vars = 0;
        }
    }

    /// Number of open scopes.
    pub fn scopes(&self) -> usize {
        self.frames.len()
    }

    /// Adds an assertion to the current scope.
    pub fn assert(&mut self, t: Term) {
        self.assertions.push(t);
    }

    /// The assertions of all open scopes, oldest first.
    pub fn assertions(&self) -> &[Term] {
        &self.assertions
    }

    /// Is there a model of the assertions?
    pub fn check(&mut self, store: &mut Store, budget: &Budget) -> Answer {
        self.check_assuming(store, &[], budget)
    }

    /// Is there a model of the assertions and the assumptions?
    pub fn check_assuming(&mut self, store: &mut Store, assumptions: &[Term], budget: &Budget) -> Answer {
        self.decide(store, assumptions, budget, true)
    }

    /// The same for questions where a wrong `Sat` does no harm: the model is not evaluated on the assertions, which takes longer than many
    /// a search. There is no [`Solver::model`] then, but perhaps an [`Solver::unconfirmed_model`]. `Unsat` means what it always means.
    pub fn check_unconfirmed(&mut self, store: &mut Store, assumptions: &[Term], budget: &Budget) -> Answer {
        self.decide(store, assumptions, budget, false)
    }

    fn decide(&mut self, store: &mut Store, assumptions: &[Term], budget: &Budget, confirm: bool) -> Answer {
        self.model = None;
        self.is_unconfirmed = false;
        self.core.clear();
        self.queries += 1;
        if let Err(interrupt) = budget.check() {
            return Answer::Unknown(Reason::Interrupted(interrupt));
        }
        self.encode_assertions(store);
        let encoder = self.encoder.as_mut().expect("assertions were encoded");
        let mut lits: Vec<Lit> = self.frames.iter().filter_map(|f| f.selector).collect();
        let scopes = lits.len();
        for &a in assumptions {
            let a = self.elimination.apply(store, a);
            lits.push(encoder.lit(store, a));
        }
        encoder.sat.theory_mut().budget = budget.clone();
        encoder.fulfilling = false;
        encoder.flush(store);
        if encoder.nonlinear {
            let asserted = self.asserted(store);
            let encoder = self.encoder.as_mut().expect("assertions were encoded");
            encoder.derive_zeros(store, &asserted);
        }
        let mut corrections = 0;
        loop {
            let encoder = self.encoder.as_mut().expect("assertions were encoded");
            encoder.flush(store);
            let outcome = encoder.sat.solve(&lits, &|| budget.exhausted());
            match outcome {
                // Products and quantifiers are only approximated, so that models decide about them.
                Outcome::Sat if !confirm && !encoder.nonlinear && !encoder.quantified => {
                    self.is_unconfirmed = true;
                    return Answer::Sat;
                }
                Outcome::Sat => {
                    let answer = self.confirm_model(store, assumptions);
                    let encoder = self.encoder.as_mut().expect("assertions were encoded");
                    let may_go_on = answer == Answer::Unknown(Reason::NonLinear) && corrections < CORRECTIONS;
                    if !may_go_on || !(encoder.explain_zeros(store) || encoder.correct_products(store)) {
                        return answer;
                    }
                    if let Err(interrupt) = budget.check() {
                        return Answer::Unknown(Reason::Interrupted(interrupt));
                    }
                    corrections += 1;
                }
                Outcome::Unsat => {
                    let failed = lits[scopes..].iter().map(|&l| encoder.sat.failed(l));
                    self.core = assumptions.iter().zip(failed).filter(|(_, f)| *f).map(|(&t, _)| t).collect();
                    return Answer::Unsat;
                }
                Outcome::Unknown => {
                    if let Err(interrupt) = budget.check() {
                        return Answer::Unknown(Reason::Interrupted(interrupt));
                    }
                    let requests = std::mem::take(&mut encoder.sat.theory_mut().requests);
                    encoder.fulfilling = true;
                    for request in requests {
                        encoder.fulfil(store, request);
                    }
                }
            }
        }
    }

    /// The conjuncts of the assertions, without what was eliminated.
    fn asserted(&mut self, store: &mut Store) -> Vec<Term> {
        let mut out = Vec::new();
        for n in 0..self.assertions.len() {
            let t = if self.config.proofs {
                self.assertions[n]
            } else {
                self.elimination.apply(store, self.assertions[n])
            };
            out.extend(store.conjuncts(t));
        }
        out
    }

    fn encode_assertions(&mut self, store: &mut Store) {
        let config = &self.config;
        let encoder = self.encoder.get_or_insert_with(|| {
            let sat_config = sat::Config::incremental().with_seed(config.seed);
            let sat_config = if config.proofs { sat_config.with_proof() } else { sat_config };
            let arith = arith::Config { cuts: config.cuts, ..arith::Config::default() };
            Encoder::new(store, sat_config, arith, config.proofs)
        });
        encoder.sat.theory_mut().arrays.concrete_indices = config.concrete_indices;
        if let Some(purity) = &mut encoder.purity {
            for n in self.encoded..self.assertions.len() {
                purity.add_part(store, n as u32, self.assertions[n]);
            }
        }
        let mut scope = self.frames.partition_point(|f| f.assertions <= self.encoded);
        for n in self.encoded..self.assertions.len() {
            while self.frames.get(scope).is_some_and(|f| f.assertions <= n) {
                scope += 1;
            }
            let t = self.assertions[n];
            if let Some(inputs) = encoder.inputs.as_ref().map(Vec::len) {
                let lit = encoder.lit(store, t);
                let id = encoder.sat.add_clause(&[lit]);
                debug_assert!(id.0 as usize >= inputs);
                let clause = [Literal::of(store, t)].into();
                let record = InputRecord { clause, rule: Rule::Assertion(n as u32) };
                encoder.inputs.get_or_insert_default().push(record);
                continue;
            }
            for frame in &mut self.frames[..scope] {
                frame.mark.get_or_insert_with(|| self.elimination.mark());
            }
            for conjunct in self.elimination.process(store, t) {
                let lit = encoder.lit(store, conjunct);
                if scope == 0 {
                    encoder.sat.add_clause(&[lit]);
                } else {
                    let frame = &mut self.frames[scope - 1];
                    let selector = *frame.selector.get_or_insert_with(|| encoder.new_var(None));
                    encoder.sat.add_clause(&[!selector, lit]);
                }
            }
        }
        self.encoded = self.assertions.len();
    }

    /// Evaluates everything that was asserted or assumed; only then the answer is `Sat`.
    fn confirm_model(&mut self, store: &Store, assumptions: &[Term]) -> Answer {
        let encoder = self.encoder.as_mut().expect("a query was made");
        let model = candidate(store, encoder, &self.elimination);
        let mut evaluator = Evaluator::new(store, &model);
        let holds = self.assertions.iter().chain(assumptions).all(|&t| evaluator.holds(t) == Ok(true));
        if holds {
            self.model = Some(model);
            return Answer::Sat;
        }
        Answer::Unknown(if encoder.quantified {
            Reason::Quantifier
        } else if encoder.nonlinear {
            Reason::NonLinear
        } else {
            Reason::ModelRejected
        })
    }

    /// The model of the last query, if that was satisfiable.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// What may be a model of the last query, if that was satisfiable and nothing was done since: see [`Solver::check_unconfirmed`].
    pub fn unconfirmed_model(&mut self, store: &Store) -> Option<Model> {
        let encoder = self.encoder.as_mut().filter(|_| self.is_unconfirmed);
        encoder.map(|encoder| candidate(store, encoder, &self.elimination)).or_else(|| self.model.clone())
    }

    /// The assumptions that made the last query unsatisfiable.
    pub fn core(&self) -> &[Term] {
        &self.core
    }

    /// The refutation of the last query, if it was unsatisfiable, had no assumptions, and proofs are recorded.
    pub fn refutation(&self, store: &mut Store) -> Result<Refutation, NoRefutation> {
        let encoder = self.encoder.as_ref().ok_or(NoRefutation::NoQuery)?;
        encoder.refutation(store, self.assertions.clone())
    }

    /// What the solver has done so far.
    pub fn statistics(&self) -> Stats {
        let mut stats = Stats::new();
        stats.count("queries", self.queries);
        if let Some(encoder) = &self.encoder {
            stats.count("sat variables", encoder.atoms.len() as u64 - 1);
            stats.count("arithmetic variables", encoder.vars.len() as u64);
            stats.count("congruence nodes", encoder.nodes.len() as u64);
            stats.merge(&encoder.sat.theory().arith.stats());
        }
        stats
    }
}

/// The model behind the last satisfiable answer.
fn candidate(store: &Store, encoder: &mut Encoder, elimination: &Elimination) -> Model {
    let mut model = encoder.model(store);
    set_defined(store, &mut model, elimination);
    model
}

/// Gives eliminated variables the values of their definitions.
fn set_defined(store: &Store, model: &mut Model, elimination: &Elimination) {
    let mut values = Vec::new();
    let mut evaluator = Evaluator::new(store, model);
    for (x, definition) in elimination.definitions() {
        if let (Some(f), Ok(value)) = (store.as_var(x), evaluator.eval(definition)) {
            values.push((f, value));
        }
    }
    for (f, value) in values {
        model.set(f, value);
    }
}
