//! How infeasible paths are refuted: with ordinary interpolants, or with ones in a finite language.
//!
//! Ordinary interpolants of longer and longer paths through a loop may bring larger and larger constants, without end.
//! Interpolants of the split prover cannot: their language `L_k` is finite, and becomes larger only when a path has no
//! interpolants in it (Jhala, McMillan, *A Practical and Complete Approach to Predicate Refinement*, TACAS 2006). By
//! default ordinary interpolants come first, and the split prover when they are seen to diverge.

use super::drop_arrays::is_range_of_element;
use super::shrink_interpolants::shrink_interpolants;
use crate::{Reason, ReasonCode};
use bolide_base::{Budget, IdVec, Rational, Stats, counted};
use bolide_itp::split::{self, Language, Split};
use bolide_itp::{Config, Failure, interpolate_sequence};
use bolide_model::{LocId, Program};
use bolide_term::{Func, Op, Store, Term};
use rustc_hash::FxHashSet;

/// Where the interpolants that refute paths come from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Refine {
    /// Ordinary interpolants.
    Interpolants,
    /// The split prover, in languages that grow.
    Split,
    /// Ordinary interpolants until they diverge, then the split prover.
    #[default]
    Auto,
}

/// So many times a larger constant than ever before at one location is taken for divergence.
const GROWTH: u32 = 8;

/// The fallback on the split prover ends with this language: paths that still have no interpolants are beyond it.
const LAST_LEVEL: u32 = 8;

/// A path that has no interpolants after so many raises is taken to be beyond all languages.
const PATIENCE: u32 = 24;

/// What came of an attempt to interpolate.
pub enum Interpolants {
    /// Interpolants between the parts.
    Found(Vec<Term>),
    /// There are none in the language.
    NotInLanguage,
    /// None could be found, for this reason.
    Failed(Reason),
}

/// Finds interpolants, and notices when they diverge.
pub struct Refiner {
    mode: Refine,
    config: Config,
    /// The constants of the program, in order.
    constants: Vec<Rational>,
    /// The language of the split prover, while that is in use.
    language: Option<Language>,
    /// The language before the present path had it raised, and how often that was.
    before: Option<(Language, u32)>,
    /// Is the present path beyond all languages? It gets ordinary interpolants.
    beyond: bool,
    growth: IdVec<LocId, Growth>,
    /// Did ordinary interpolants diverge?
    diverged: bool,
    /// Did the split prover get to the end of its languages?
    exhausted: bool,
    /// Sequences of ordinary interpolants.
    ordinary: u64,
    /// Sequences of interpolants in a language.
    restricted: u64,
    raises: u64,
    /// Paths beyond all languages.
    unrestricted: u64,
}

/// The constants of interpolants at a location.
#[derive(Clone, Debug, Default)]
struct Growth {
    /// The largest one.
    largest: Rational,
    /// How often there was a larger one than before.
    records: u32,
}

impl Refiner {
    /// A way to refute paths of a program.
    pub fn new(store: &Store, program: &Program, mode: Refine, config: Config) -> Refiner {
        let constants = constants(store, program);
        let language = (mode == Refine::Split).then(|| Language::new(0, constants.iter().cloned()));
        Refiner {
            mode,
            config,
            constants,
            language,
            before: None,
            beyond: false,
            growth: program.main().locations.iter().map(|_| Growth::default()).collect(),
            diverged: false,
            exhausted: false,
            ordinary: 0,
            restricted: 0,
            raises: 0,
            unrestricted: 0,
        }
    }

    /// Is the language restricted?
    pub fn is_split(&self) -> bool {
        self.language.is_some() && !self.beyond
    }

    /// Interpolants between parts that contradict each other. Some symbols may be kept for the split prover: they are
    /// in scope up to a part although nothing mentions them any more.
    pub fn interpolate(
        &mut self,
        store: &mut Store,
        parts: &[Term],
        kept: &[(Func, usize)],
        budget: &Budget,
    ) -> Interpolants {
        let found = match self.language.as_ref().filter(|_| !self.beyond) {
            None => interpolate_sequence(store, parts, &self.config, budget).map(Split::Interpolants),
            Some(language) => split::interpolate_path(store, parts, kept, language, &self.config, budget),
        };
        match found {
            Ok(Split::Interpolants(mut found)) => {
                if self.is_split() {
                    found = shrink_interpolants(store, parts, &found, budget);
                }
                *(if self.is_split() { &mut self.restricted } else { &mut self.ordinary }) += 1;
                self.next_path();
                Interpolants::Found(found)
            }
            Ok(Split::NotInLanguage) => Interpolants::NotInLanguage,
            Ok(Split::Feasible(_)) | Err(Failure::Sat(_)) => {
                Interpolants::Failed(Reason::new(ReasonCode::Internal, "two solvers disagree"))
            }
            Err(Failure::Unknown(reason)) => Interpolants::Failed(reason.into()),
            Err(failure) => Interpolants::Failed(failure.to_string().into()),
        }
    }

    /// A path has been refuted. One that was beyond all languages leaves the language as it was.
    fn next_path(&mut self) {
        let before = self.before.take();
        if std::mem::take(&mut self.beyond) {
            self.unrestricted += 1;
            self.language = before.map(|(language, _)| language);
        }
    }

    /// Goes on to the next language, or back to ordinary interpolants if the fallback has seen enough of them, or the
    /// path seems to have none in any language.
    pub fn raise(&mut self) {
        let Some(language) = &self.language else { return };
        let (_, climbed) = self.before.get_or_insert_with(|| (language.clone(), 0));
        *climbed += 1;
        if *climbed > PATIENCE {
            self.beyond = true;
            return;
        }
        self.raises += 1;
        if self.mode == Refine::Auto && language.level() >= LAST_LEVEL {
            self.exhausted = true;
            self.language = None;
        } else {
            self.language = Some(language.raised());
        }
    }

    /// Looks at what became known of a location.
    pub fn observe(&mut self, store: &Store, location: LocId, fact: Term) {
        if self.mode != Refine::Auto || self.diverged {
            return;
        }
        let here = &mut self.growth[location];
        let mut largest = None;
        for t in store.post_order([fact]) {
            if let Op::Num(n) = store.op(t) {
                let size = store.num_value(n).abs();
                let known = self.constants.binary_search(&size).is_ok();
                if size > here.largest && !known && largest.as_ref().is_none_or(|l| *l < size) {
                    largest = Some(size);
                }
            }
        }
        if let Some(size) = largest {
            here.largest = size;
            here.records += 1;
            self.diverged = here.records >= GROWTH;
        }
    }

    /// Falls back on the split prover, once, if ordinary interpolants diverge.
    pub fn falls_back(&mut self) -> bool {
        let now = self.diverged && !self.exhausted && self.language.is_none();
        if now {
            self.language = Some(Language::new(0, self.constants.iter().cloned()));
        }
        now
    }

    /// A reason for not knowing the verdict, with what was tried.
    pub fn explain(&self, reason: impl Into<Reason>) -> Reason {
        let reason = reason.into();
        let mut out = reason.text.clone();
        if self.ordinary > 0 || self.restricted == 0 && self.raises == 0 {
            let diverged = if self.diverged { ", which diverged" } else { "" };
            out += &format!(
                "; {} by ordinary interpolants{diverged}",
                counted(self.ordinary, "path was refuted", "paths were refuted")
            );
        }
        if self.restricted > 0 || self.raises > 0 {
            let last = self.language.as_ref().map_or(LAST_LEVEL, Language::level);
            out += &format!(
                "; {} by interpolants in the languages L_0 to L_{last}",
                counted(self.restricted, "path", "paths")
            );
        }
        if self.unrestricted > 0 {
            out += &format!("; {} of the paths had none in any language that was tried", self.unrestricted);
        }
        reason.with_text(out)
    }

    /// What was done.
    pub fn statistics(&self, stats: &mut Stats) {
        if self.mode == Refine::Split || self.diverged {
            stats.count("fallbacks on the split prover", u64::from(self.diverged));
            stats.count("paths refuted by the split prover", self.restricted);
            stats.count("raises of the language", self.raises);
            stats.count("paths beyond the languages", self.unrestricted);
        }
    }
}

/// The numbers that occur in a program with their negations, in order; not those by which an array's elements are
/// values of their type, for nobody wrote them.
fn constants(store: &Store, program: &Program) -> Vec<Rational> {
    let steps = program.main().edges.iter().filter_map(|e| e.step());
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut out = Vec::new();
    let mut stack: Vec<Term> = steps.flat_map(|s| s.terms()).collect();
    while let Some(t) = stack.pop() {
        if !seen.insert(t) || is_range_of_element(store, t) {
            continue;
        }
        if let Op::Num(n) = store.op(t) {
            let value = store.num_value(n);
            out.extend([value.clone(), -value]);
        }
        stack.extend(store.args(t));
    }
    out.sort_unstable();
    out.dedup();
    out
}
