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

    /// Whether the SAT solver told that the literal is true.
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        let value = self.values.get(lit.var() as usize).copied().unwrap_or(Value::Unassigned);
        value == Value::Above(lit.is_positive()) || value == Value::Root(lit.is_positive())
    }

    /// Whether a clause may be the reason of its literal `lit`: all others were false before that was assigned.
    pub(crate) fn could_follow(&self, lit: Lit, clause: &[Lit]) -> bool {
        let place = |lit: Lit| match self.is_true(lit) {
            true => self.now.iter().position(|&e| e == Some(lit)).map_or(0, |n| n + 1),
            false => usize::MAX,
        };
        let at = place(lit);
        clause.iter().filter(|&&l| l != lit).all(|&l| self.is_true(!l) && place(!l) <= at)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, LemmaId};

    /// Keeps the stack, as a list of levels, and the number of calls.
    struct Stack {
        levels: Vec<Vec<Lit>>,
        calls: usize,
    }

    impl Theory for Stack {
        fn assign(&mut self, lit: Lit) {
            self.calls += 1;
            assert!(self.levels.iter().flatten().all(|other| other.var() != lit.var()));
            self.levels.last_mut().unwrap().push(lit);
        }
        fn new_level(&mut self) {
            self.calls += 1;
            self.levels.push(vec![]);
        }
        fn backtrack(&mut self, level: usize) {
            self.calls += 1;
            assert!(level + 1 < self.levels.len());
            self.levels.truncate(level + 1);
        }
        fn propagate(&mut self, _: &mut Context<'_>) {}
        fn explain(&mut self, _: Lit, _: LemmaId, _: &mut Vec<Lit>) {}
        fn check_model(&mut self, _: &mut Context<'_>, _: &[Lit]) -> bool {
            true
        }
    }

    fn lit(dimacs: i32) -> Lit {
        Lit::new(dimacs).unwrap()
    }

    #[test]
    fn what_comes_back_the_same_is_not_told_again() {
        let mut mirror = Mirror::default();
        let mut stack = Stack { levels: vec![vec![]], calls: 0 };
        let replay = |mirror: &mut Mirror, last: i32| {
            mirror.backtracked(0);
            mirror.assigned(lit(1));
            mirror.new_level();
            mirror.assigned(lit(2));
            mirror.assigned(lit(-3));
            mirror.new_level();
            mirror.assigned(lit(last));
        };
        replay(&mut mirror, 4);
        assert!(mirror.sync(&mut stack).news);
        assert_eq!(stack.levels, [vec![lit(1)], vec![lit(2), lit(-3)], vec![lit(4)]]);
        assert_eq!(stack.calls, 6);
        replay(&mut mirror, 4);
        assert!(!mirror.sync(&mut stack).news);
        assert_eq!(stack.calls, 6);
        replay(&mut mirror, 5);
        assert_eq!(mirror.sync(&mut stack).cut, Some(3));
        assert_eq!(stack.calls, 9);
        assert_eq!(stack.levels[2], [lit(5)]);
        mirror.rewind(&mut stack);
        assert_eq!(stack.levels, [[lit(1)]]);
        mirror.sync(&mut stack);
        assert_eq!(stack.levels.len(), 3);
    }

    /// Random notifications, synced now and then, against a plain stack.
    #[test]
    fn the_theory_ends_up_where_the_solver_is() {
        let mut random = 88172645463325252u64;
        let mut below = |bound: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % bound
        };
        for _ in 0..300 {
            let mut mirror = Mirror::default();
            let mut stack = Stack { levels: vec![vec![]], calls: 0 };
            let mut expected: Vec<Vec<Lit>> = vec![vec![]];
            for _ in 0..100 {
                match below(6) {
                    0 => {
                        mirror.new_level();
                        expected.push(vec![]);
                    }
                    1 if expected.len() > 1 => {
                        let level = below(expected.len() as u64 - 1) as usize;
                        mirror.backtracked(level);
                        expected.truncate(level + 1);
                    }
                    2 => {
                        let synced = mirror.sync(&mut stack);
                        assert_eq!(stack.levels, expected);
                        assert!(synced.cut.is_none_or(|depth| depth <= mirror.depth()));
                    }
                    _ => {
                        // Few variables and one polarity, so that the same comes back often.
                        let next = lit(1 + below(12) as i32);
                        let known = expected.iter().flatten().any(|&other| other == next);
                        mirror.assigned(next);
                        if !known {
                            expected.last_mut().unwrap().push(next);
                        }
                    }
                }
                for var in 1..=12 {
                    let known = expected.iter().flatten().any(|&other| other == lit(var));
                    assert_eq!(mirror.is_assigned(lit(-var)), known);
                }
            }
        }
    }
}
