//! What arrays hold, in words: writes over what they held at first, and choices between arrays.

use super::Rewriter;
use super::word::{self, Word};
use bolide_term::{Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// With how many places one that is not known is compared.
const MOST_CELLS: usize = 100;

/// The number of an array's contents.
pub(crate) type ContentsId = usize;

/// The contents of an array.
#[derive(Copy, Clone)]
enum Contents {
    /// Those of an array from outside: any numbers of a range.
    Initial((i128, i128)),
    /// The same everywhere.
    Constant(Word),
    /// Others with one place changed.
    Written { below: ContentsId, index: Word, value: Word },
    /// One of two.
    Choice { condition: Term, yes: ContentsId, no: ContentsId },
}

/// All contents that have come up, each with an earlier one below it.
#[derive(Default)]
pub(crate) struct Arena {
    all: Vec<Contents>,
    /// What contents from outside hold at the places that were looked at: places and what is there.
    pub(crate) cells: FxHashMap<ContentsId, Vec<(Word, Word)>>,
    /// What was read before, where it depends on conditions.
    known: FxHashMap<(ContentsId, Term), Word>,
    /// What says that words from outside are in their ranges.
    pub(crate) within: Vec<Term>,
}

impl Arena {
    /// Contents from outside.
    pub(crate) fn initial(&mut self, range: (i128, i128)) -> ContentsId {
        self.push(Contents::Initial(range))
    }

    /// One of two, by a condition.
    pub(crate) fn choice(&mut self, condition: Term, yes: ContentsId, no: ContentsId) -> ContentsId {
        if yes == no { yes } else { self.push(Contents::Choice { condition, yes, no }) }
    }

    fn push(&mut self, contents: Contents) -> ContentsId {
        self.all.push(contents);
        self.all.len() - 1
    }

    /// The contents below those that surely do not matter at an index, and whether the last write surely does.
    fn relevant(&self, store: &mut Store, mut id: ContentsId, at: Word) -> (ContentsId, Term) {
        loop {
            let Contents::Written { below, index, .. } = self.all[id] else { return (id, store.fls()) };
            let hit = word::equal(store, index, at);
            if hit != store.fls() {
                return (id, hit);
            }
            id = below;
        }
    }

    /// What contents from outside hold at an index; `None` if too many places were looked at.
    fn cell(&mut self, store: &mut Store, id: ContentsId, at: Word) -> Option<Word> {
        let (range, number) = match self.all[id] {
            Contents::Initial(range) => (range, at.value()),
            _ => return None,
        };
        let cells = self.cells.entry(id).or_default();
        if let Some(n) = number
            && let Some(&(_, held)) = cells.iter().find(|cell| cell.0.value() == Some(n))
        {
            return Some(held);
        }
        let (held, within) = word::unknown(store, "cell", range);
        self.within.extend(within);
        // One place holds one number.
        let mut unknown = 0;
        for &(other, holds) in cells.iter().filter(|cell| number.is_none() || cell.0.value().is_none()) {
            let is_other = word::equal(store, at, other);
            if is_other == store.fls() {
                continue;
            }
            unknown += 1;
            let (is_elsewhere, is_same) = (store.not(is_other), word::equal(store, held, holds));
            self.within.push(store.or(&[is_elsewhere, is_same]));
        }
        cells.push((at, held));
        (unknown <= MOST_CELLS).then_some(held)
    }

    /// What contents hold at an index; `None` if that is not to be had.
    fn read(&mut self, store: &mut Store, id: ContentsId, at: Word) -> Option<Word> {
        let mut work = vec![id];
        while let Some(&id) = work.last() {
            if self.known.contains_key(&(id, at.term)) {
                work.pop();
                continue;
            }
            let (relevant, hit) = self.relevant(store, id, at);
            let below = |this: &Self, id| this.known.get(&(id, at.term)).copied();
            let found = match self.all[relevant] {
                Contents::Written { value, .. } if hit == store.tru() => Some(value),
                Contents::Written { below: other, value, .. } => match below(self, other) {
                    Some(other) => Some(word::choice(store, hit, value, other)?),
                    None => {
                        work.push(other);
                        None
                    }
                },
                Contents::Choice { condition, yes, no } => match (below(self, yes), below(self, no)) {
                    (Some(yes), Some(no)) => Some(word::choice(store, condition, yes, no)?),
                    (yes_is, no_is) => {
                        work.extend(yes_is.is_none().then_some(yes));
                        work.extend(no_is.is_none().then_some(no));
                        None
                    }
                },
                Contents::Constant(word) => Some(word),
                Contents::Initial(_) => Some(self.cell(store, relevant, at)?),
            };
            if let Some(word) = found {
                self.known.insert((id, at.term), word);
                work.pop();
            }
        }
        self.known.get(&(id, at.term)).copied()
    }
}

/// The arrays of the terms that are rewritten.
pub(crate) struct Memory<'a> {
    pub(crate) arena: &'a mut Arena,
    /// What arrays hold.
    pub(crate) contents: FxHashMap<Term, ContentsId>,
    /// Did something come up that has no words?
    pub(crate) is_lost: bool,
}

impl Rewriter<'_> {
    /// Follows an array, or a read from one; false if the term is neither. Integers are nothing but their words here: where something
    /// else is said about one that has none, all is lost.
    pub(super) fn follow_memory(&mut self, t: Term, args: &[Term]) -> bool {
        let is_array = self.store.array_sorts(self.store.sort_of(t)).is_some();
        let op = self.store.op(t);
        if !is_array && op != Op::Select {
            let is_kept = |&a: &Term| {
                let sort = self.store.sort_of(a);
                let is_word = matches!(op, Op::Le | Op::Eq | Op::IntToBv) && self.words.contains_key(&a);
                sort != Sort::INT && self.store.array_sorts(sort).is_none() || is_word
            };
            let is_integer = self.store.sort_of(t) == Sort::INT;
            let is_lost = !is_integer && !self.store.args(t).iter().all(is_kept);
            if let Some(memory) = &mut self.memory {
                memory.is_lost |= is_lost;
            }
            return false;
        }
        if self.followed(t, op, is_array, args).is_none()
            && let Some(memory) = &mut self.memory
        {
            memory.is_lost = true;
        }
        // Nothing refers to this.
        self.rewritten.insert(t, t);
        true
    }

    fn followed(&mut self, t: Term, op: Op, is_array: bool, args: &[Term]) -> Option<()> {
        let old: Vec<Term> = self.store.args(t).to_vec();
        let words = &mut self.words;
        let memory = self.memory.as_mut()?;
        if !is_array {
            let (id, at) = (*memory.contents.get(&old[0])?, *words.get(&old[1])?);
            if self.store.sort_of(t) != Sort::INT {
                return None;
            }
            let word = memory.arena.read(self.store, id, at)?;
            words.insert(t, word);
            return Some(());
        }
        let contents = match op {
            Op::Store => Contents::Written {
                below: *memory.contents.get(&old[0])?,
                index: *words.get(&old[1])?,
                value: *words.get(&old[2])?,
            },
            Op::ConstArray => Contents::Constant(*words.get(&old[0])?),
            Op::Ite => {
                let (yes, no) = (*memory.contents.get(&old[1])?, *memory.contents.get(&old[2])?);
                Contents::Choice { condition: args[0], yes, no }
            }
            _ => return memory.contents.contains_key(&t).then_some(()),
        };
        let id = memory.arena.push(contents);
        memory.contents.insert(t, id);
        Some(())
    }
}
