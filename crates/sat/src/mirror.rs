//! The trail as the SAT solver has it, the trail as the theory knows it, and the shortest way from one to the other.
//!
//! CaDiCaL notifies eagerly, and with its trail reuse between queries it repeats the whole trail at the start of each
//! one. The mirror only takes notes; [`Mirror::sync`] then tells the theory the difference. So a theory never undoes and
//! redoes what is the same, and is left alone between queries.

use crate::{Lit, Theory};

/// An entry above level 0: a literal, or `None` where a level starts.
type Entry = Option<Lit>;

/// What is known of a variable.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Value {
    Unassigned,
    /// True for the positive literal; on some level above 0.
    Above(bool),
    /// On level 0.
    Root(bool),
}

/// Both trails. Level 0 is kept apart, as it only grows; above it both are sequences of entries that agree up to
/// `agree`, and maybe further.
#[derive(Default)]
pub(crate) struct Mirror {
    root: Vec<Lit>,
    /// How many literals of `root` the theory knows.
    root_told: usize,
    now: Vec<Entry>,
    /// Where the levels of `now` start.
    now_levels: Vec<usize>,
    told: Vec<Entry>,
    told_levels: Vec<usize>,
    agree: usize,
    /// By variable, according to `root` and `now`.
    values: Vec<Value>,
}

/// What [`Mirror::sync`] told the theory.
pub(crate) struct Synced {
    /// Anything at all.
    pub(crate) news: bool,
    /// The depth that was left when something had to be taken back.
    pub(crate) cut: Option<usize>,
}

impl Mirror {
    /// The SAT solver assigned a literal. Repetitions are ignored.
    pub(crate) fn assigned(&mut self, lit: Lit) {
        let var = lit.var() as usize;
        if self.values.len() <= var {
            self.values.resize((var + 1).next_power_of_two(), Value::Unassigned);
        }
        let truth = lit.is_positive();
        if self.now_levels.is_empty() {
            if self.values[var] != Value::Root(truth) {
                self.values[var] = Value::Root(truth);
                self.root.push(lit);
            }
        } else if self.values[var] == Value::Unassigned {
            self.values[var] = Value::Above(truth);
            self.now.push(Some(lit));
        }
    }

    /// The SAT solver opened a level.
    pub(crate) fn new_level(&mut self) {
        self.now_levels.push(self.now.len());
        self.now.push(None);
    }

    /// The SAT solver closed all levels above `level`.
    pub(crate) fn backtracked(&mut self, level: usize) {
        let Some(&start) = self.now_levels.get(level) else { return };
        for lit in self.now.drain(start..).flatten() {
            self.values[lit.var() as usize] = Value::Unassigned;
        }
        self.now_levels.truncate(level);
        self.agree = self.agree.min(start);
    }

    /// Whether the SAT solver told of a value for the literal's variable.
    pub(crate) fn is_assigned(&self, lit: Lit) -> bool {
        self.values.get(lit.var() as usize).is_some_and(|&value| value != Value::Unassigned)
    }

    /// How many entries above level 0 the theory knows.
    pub(crate) fn depth(&self) -> usize {
        self.told.len()
    }

    /// Tells the theory what it needs to know to be where the SAT solver is.
    pub(crate) fn sync<T: Theory>(&mut self, theory: &mut T) -> Synced {
        let cut = self.take_back(theory);
        let news = self.tell(theory);
        Synced { news: news || cut.is_some(), cut }
    }

    /// Takes the theory back to level 0.
    pub(crate) fn rewind<T: Theory>(&mut self, theory: &mut T) {
        if !self.told.is_empty() {
            self.cut_to_level(0, theory);
        }
    }

    /// Closes the levels of the theory that are not, or not only, a beginning of the SAT solver's trail.
    fn take_back<T: Theory>(&mut self, theory: &mut T) -> Option<usize> {
        if self.root_told < self.root.len() {
            self.agree = 0;
        } else {
            self.agree += common_prefix(&self.now[self.agree..], &self.told[self.agree..]);
        }
        let differs = self.told.get(self.agree)?;
        let started = self.told_levels.partition_point(|&start| start < self.agree);
        let level = if differs.is_none() { started } else { started - 1 };
        self.cut_to_level(level, theory);
        Some(self.told.len())
    }

    fn cut_to_level<T: Theory>(&mut self, level: usize, theory: &mut T) {
        let start = self.told_levels[level];
        self.told.truncate(start);
        self.told_levels.truncate(level);
        self.agree = self.agree.min(start);
        theory.backtrack(level);
    }

    /// Tells what the theory does not know yet. Requires that what it knows is a beginning of the SAT solver's trail.
    fn tell<T: Theory>(&mut self, theory: &mut T) -> bool {
        let news = self.root_told < self.root.len() || self.told.len() < self.now.len();
        for &lit in &self.root[self.root_told..] {
            theory.assign(lit);
        }
        self.root_told = self.root.len();
        for &entry in &self.now[self.told.len()..] {
            match entry {
                Some(lit) => theory.assign(lit),
                None => {
                    theory.new_level();
                    self.told_levels.push(self.told.len());
                }
            }
            self.told.push(entry);
        }
        self.agree = self.told.len();
        news
    }
}

fn common_prefix(left: &[Entry], right: &[Entry]) -> usize {
    left.iter().zip(right).take_while(|(l, r)| l == r).count()
}
