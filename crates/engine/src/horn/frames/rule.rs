//! One solver for each clause: its constraint, the lemmas about its premises, and the reach facts.

use super::{Frames, Stop};
use bolide_model::horn::{Clause, Horn};
use bolide_smt::{Answer, Reason, Solver};
use bolide_term::{Model, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often a query whose model was rejected is asked again.
const RETRIES: u32 = 3;

/// A solver that knows more literals of its own than this starts afresh.
const MAX_AVOID: usize = 300;
/// So does one that was asked about more literals than this.
const MAX_ASKED: usize = 800;

/// The level of what holds however many steps a derivation has.
pub const ALWAYS: usize = usize::MAX;

/// Why a rule cannot derive a cube.
pub struct Refusal {
    /// The literals of the cube that were needed.
    pub core: Vec<Term>,
    /// The same is true for derivations of at most so many steps.
    pub level: usize,
}

/// A premise of a rule.
pub struct Premise {
    /// Position of the predicate.
    pub pred: usize,
    /// The constants of the clause that are its arguments.
    pub args: Vec<Term>,
    /// From parameters to arguments.
    subst: Substitution,
    /// How many of the predicate's events the solver has seen.
    seen_events: usize,
    /// How many of the predicate's reach facts the solver has seen.
    seen_reach: usize,
    /// The literal that says that the premise is one of the reach facts seen.
    reached: Option<Term>,
}

impl Premise {
    /// A formula over the parameters, at the arguments.
    pub fn at(&mut self, store: &mut Store, formula: Term) -> Term {
        self.subst.apply(store, formula)
    }
}

/// A clause with its solver.
pub struct Rule {
    /// Position of the predicate that it derives.
    pub head: usize,
    pub premises: Vec<Premise>,
    pub constraint: Term,
    pub head_args: Vec<Term>,
    /// All constants of the clause.
    pub vars: Vec<Term>,
    subst: Substitution,
    solver: Solver,
    /// The literals under which premises avoid cubes, by predicate and cube.
    avoid: FxHashMap<(usize, Vec<Term>), Term>,
    /// The literals of cubes that the solver was asked about.
    asked: FxHashSet<Term>,
}

/// What else is asked about a rule.
struct Question {
    /// So many premises, the first ones, are reach facts.
    must: usize,
    /// This literal holds.
    also: Option<Term>,
    /// A model is needed.
    confirm: bool,
}

impl Rule {
    pub fn new(store: &mut Store, horn: &Horn, clause: &Clause, head: usize) -> Rule {
        let substitution = |params: &[Term], args: &[Term]| {
            let mut s = Substitution::new();
            params.iter().zip(args).for_each(|(&p, &a)| s.insert(p, a));
            s
        };
        let premises = clause.body.iter().map(|a| Premise {
            pred: a.pred.index(),
            args: a.args.clone(),
            subst: substitution(&horn.pred(a.pred).params, &a.args),
            seen_events: 0,
            seen_reach: 0,
            reached: None,
        });
        let mut solver = Solver::default();
        solver.assert(clause.constraint);
        let (params, head_args) = match &clause.head {
            Some(h) => (horn.pred(h.pred).params.as_slice(), h.args.clone()),
            None => (&[][..], Vec::new()),
        };
        Rule {
            head,
            premises: premises.collect(),
            constraint: clause.constraint,
            subst: substitution(params, &head_args),
            head_args,
            vars: clause.variables(store),
            solver,
            avoid: FxHashMap::default(),
            asked: FxHashSet::default(),
        }
    }

    /// A formula over the parameters of the head, at its arguments.
    pub fn at_head(&mut self, store: &mut Store, formula: Term) -> Term {
        self.subst.apply(store, formula)
    }

    /// The model of the last [`Frames::query`], if that was satisfiable.
    pub fn model(&self) -> Option<&Model> {
        self.solver.model()
    }

    /// What may be a model of the last [`Frames::refusal`], if there was none.
    pub fn unconfirmed_model(&mut self, store: &Store) -> Option<Model> {
        self.solver.unconfirmed_model(store)
    }
}

impl Frames<'_> {
    /// Starts the solver of a rule afresh with what is still of use.
    fn renew(&mut self, rule: usize) {
        let Frames { store, preds, rules, lemmas, .. } = self;
        let r = &mut rules[rule];
        r.avoid.clear();
        r.asked.clear();
        r.solver = Solver::default();
        r.solver.assert(r.constraint);
        for premise in &mut r.premises {
            let state = &mut preds[premise.pred];
            for n in 0..state.lemmas.len() {
                let (formula, level) = {
                    let l = &lemmas[state.lemmas[n]];
                    (l.formula, l.level)
                };
                let here = premise.subst.apply(store, formula);
                let guarded = state.guarded(store, here, level);
                r.solver.assert(guarded);
            }
            premise.seen_events = state.events.len();
            premise.seen_reach = 0;
            premise.reached = None;
        }
    }

    /// Tells the solver of a rule what is new about its premises.
    fn catch_up(&mut self, rule: usize) {
        let Frames { store, preds, rules, reach, .. } = self;
        let r = &mut rules[rule];
        for premise in &mut r.premises {
            let state = &mut preds[premise.pred];
            for n in premise.seen_events..state.events.len() {
                let (formula, level) = state.events[n];
                let here = premise.subst.apply(store, formula);
                let guarded = state.guarded(store, here, level);
                r.solver.assert(guarded);
            }
            premise.seen_events = state.events.len();
            for n in premise.seen_reach..state.reach.len() {
                let fact = reach[state.reach[n]].formula;
                let here = premise.subst.apply(store, fact);
                let literal = store.fresh_var("reached", Sort::BOOL);
                let off = store.not(literal);
                let mut parts = vec![off, here];
                parts.extend(premise.reached);
                let guarded = store.or(&parts);
                r.solver.assert(guarded);
                premise.reached = Some(literal);
            }
            premise.seen_reach = state.reach.len();
        }
    }

    /// Can a rule derive a fact of a cube in so many steps, where the first `must` premises are reach facts and the
    /// others satisfy their lemmas? Nothing if it can, and the model is in the rule's solver then.
    pub fn query(
        &mut self,
        rule: usize,
        cube: &[Term],
        level: usize,
        must: usize,
    ) -> Result<Option<Refusal>, Stop> {
        self.ask(rule, cube, level, Question { must, also: None, confirm: true })
    }

    /// Why a rule cannot derive a fact of a cube in so many steps from premises that satisfy their lemmas, if `also` holds. Nothing if it
    /// seems that it can: lemmas do not depend on that, so nobody confirms it.
    pub fn refusal(
        &mut self,
        rule: usize,
        cube: &[Term],
        level: usize,
        also: Option<Term>,
    ) -> Result<Option<Refusal>, Stop> {
        self.ask(rule, cube, level, Question { must: 0, also, confirm: false })
    }

    fn ask(
        &mut self,
        rule: usize,
        cube: &[Term],
        level: usize,
        question: Question,
    ) -> Result<Option<Refusal>, Stop> {
        let Question { must, also, confirm } = question;
        let premises = &self.rules[rule].premises;
        let impossible = premises
            .iter()
            .enumerate()
            .any(|(n, p)| if n < must { self.preds[p.pred].reach.is_empty() } else { level <= 1 });
        if impossible {
            return Ok(Some(Refusal { core: Vec::new(), level }));
        }
        if also.is_none() && self.rules[rule].asked.len() > MAX_ASKED {
            self.renew(rule);
        }
        self.catch_up(rule);
        self.queries += 1;
        let Frames { store, preds, rules, budget, level: top, .. } = self;
        let r = &mut rules[rule];
        let mut assumptions: Vec<Term> = Vec::with_capacity(cube.len() + 8);
        for &l in cube {
            assumptions.push(r.subst.apply(store, l));
        }
        r.asked.extend(cube);
        // The levels of the lemmas that are switched on, in the order of their literals.
        let first_act = assumptions.len();
        let mut levels = Vec::new();
        for (n, p) in r.premises.iter().enumerate().skip(must) {
            if r.premises[must..n].iter().all(|other| other.pred != p.pred) {
                for k in level - 1..=*top {
                    assumptions.push(preds[p.pred].act(store, k));
                    levels.push(k);
                }
            }
        }
        assumptions.extend(r.premises[..must].iter().filter_map(|p| p.reached));
        assumptions.extend(also);
        let mut answer = if confirm {
            r.solver.check_assuming(store, &assumptions, budget)
        } else {
            r.solver.check_unconfirmed(store, &assumptions, budget)
        };
        for seed in 1..=RETRIES {
            if answer != Answer::Unknown(Reason::ModelRejected) {
                break;
            }
            // Another search may meet a model that is accepted.
            let mut other = Solver::new(bolide_smt::Config { seed, ..Default::default() });
            r.solver.assertions().iter().for_each(|&t| other.assert(t));
            r.solver = other;
            answer = r.solver.check_assuming(store, &assumptions, budget);
        }
        match answer {
            Answer::Sat => Ok(None),
            Answer::Unknown(reason) => Err(Stop::Solver(reason)),
            Answer::Unsat => {
                let core: FxHashSet<Term> = r.solver.core().iter().copied().collect();
                let kept = cube.iter().zip(&assumptions).filter(|(_, a)| core.contains(a));
                let used = levels.iter().zip(&assumptions[first_act..]).filter(|(_, a)| core.contains(a));
                let level = used.map(|(&k, _)| k + 1).min().unwrap_or(ALWAYS);
                Ok(Some(Refusal { core: kept.map(|(&l, _)| l).collect(), level }))
            }
        }
    }

    /// A literal under which the premises of a rule that are about a predicate avoid a cube.
    pub fn avoiding(&mut self, rule: usize, pred: usize, cube: &[Term]) -> Option<Term> {
        if self.rules[rule].avoid.len() > MAX_AVOID {
            self.renew(rule);
        }
        let r = &mut self.rules[rule];
        if r.premises.iter().all(|p| p.pred != pred) {
            return None;
        }
        let key = (pred, cube.to_vec());
        if let Some(&literal) = r.avoid.get(&key) {
            return Some(literal);
        }
        let conjunction = self.store.and(cube);
        let formula = self.store.not(conjunction);
        let literal = self.store.fresh_var("avoid", Sort::BOOL);
        let off = self.store.not(literal);
        for p in r.premises.iter_mut().filter(|p| p.pred == pred) {
            let here = p.subst.apply(self.store, formula);
            let guarded = self.store.or(&[off, here]);
            r.solver.assert(guarded);
        }
        r.avoid.insert(key, literal);
        Some(literal)
    }
}
