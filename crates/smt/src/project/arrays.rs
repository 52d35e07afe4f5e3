//! Elimination of arrays from a conjunction of literals.
//!
//! An equation between an array and writes to another is solved for either; what is still read from an array that
//! must disappear is named, one name for each index value in the model.

use super::Projector;
use bolide_term::{Op, Sort, Substitution, Term, Value};
use rustc_hash::FxHashSet;

impl Projector<'_> {
    /// Eliminates the arrays that must disappear.
    pub(super) fn eliminate_arrays(&mut self) -> Option<()> {
        let mut n = 0;
        while n < self.order.len() {
            let array = self.order[n];
            n += 1;
            if self.store.array_sorts(self.store.sort_of(array)).is_some() {
                self.separate_unequal(array)?;
                if !self.solve_writes(array)? {
                    self.resolve_reads(array)?;
                    self.name_reads(array)?;
                }
            }
        }
        Some(())
    }

    /// Replaces a disequality of arrays by one of elements.
    fn separate_unequal(&mut self, array: Term) -> Option<()> {
        for n in 0..self.literals.len() {
            let (atom, sign) = self.store.literal(self.literals[n]);
            if sign || self.store.op(atom) != Op::Eq || !self.mentions(atom, array) {
                continue;
            }
            let (a, b) = (self.store.arg(atom, 0), self.store.arg(atom, 1));
            let Some((index_sort, _)) = self.store.array_sorts(self.store.sort_of(a)) else { continue };
            let (Value::Array(u), Value::Array(v)) = (self.value(a)?, self.value(b)?) else { return None };
            let listed = u.entries.iter().chain(&v.entries).map(|(i, _)| i);
            // Where only the defaults differ there is no listed witness; then the arrays take their values.
            let Some(index) = listed.into_iter().find(|i| u.select(i) != v.select(i)) else { continue };
            let index = index.to_term(self.store, index_sort);
            let (x, y) = (self.store.select(a, index), self.store.select(b, index));
            let equal = self.store.eq(x, y);
            self.literals[n] = self.store.not(equal);
        }
        Some(())
    }

    /// Uses an equation `t = writes to the array`, or the array itself, to replace it; tells whether there was one.
    fn solve_writes(&mut self, array: Term) -> Option<bool> {
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            if self.store.op(l) != Op::Eq || !self.mentions(l, array) {
                continue;
            }
            let (a, b) = (self.store.arg(l, 0), self.store.arg(l, 1));
            for (chain, other) in [(a, b), (b, a)] {
                if self.mentions(other, array) {
                    continue;
                }
                if let Some(writes) = self.writes_to(chain, array) {
                    self.literals.swap_remove(n);
                    let solution = self.undo_writes(array, &writes, other)?;
                    self.substitute(array, solution);
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// The indices and values written to an array, the last one first, if a term is that and nothing else.
    fn writes_to(&mut self, mut t: Term, array: Term) -> Option<Vec<(Term, Term)>> {
        let mut writes = Vec::new();
        while t != array {
            if self.store.op(t) != Op::Store {
                return None;
            }
            let parts = self.store.args(t).to_vec();
            if self.mentions(parts[1], array) || self.mentions(parts[2], array) {
                return None;
            }
            writes.push((parts[1], parts[2]));
            t = parts[0];
        }
        Some(writes)
    }

    /// The array before writes that led to `result`: anything may have been in the places written to.
    fn undo_writes(&mut self, array: Term, writes: &[(Term, Term)], result: Term) -> Option<Term> {
        let (_, element) = self.store.array_sorts(self.store.sort_of(array))?;
        let mut before = result;
        let mut places: Vec<(Term, Value)> = Vec::new();
        for &(index, written) in writes {
            let at = self.value(index)?;
            // An index overwritten later is not seen in the result.
            let mut overwritten = false;
            for (other, value) in places.clone() {
                let equal = self.store.eq(index, other);
                let same = value == at;
                overwritten |= same;
                let literal = if same { equal } else { self.store.not(equal) };
                self.literals.push(literal);
            }
            if !overwritten {
                let read = self.store.select(result, index);
                let equal = self.store.eq(read, written);
                self.literals.push(equal);
                let old = self.store.select(array, index);
                let value = self.value(old)?;
                let name = self.fresh(element, value)?;
                before = self.store.store(before, index, name);
                places.push((index, at));
            }
        }
        self.tidy();
        Some(before)
    }

    /// Resolves reads of writes to the array by what the model says about the indices.
    fn resolve_reads(&mut self, array: Term) -> Option<()> {
        loop {
            let mut found = None;
            for n in 0..self.literals.len() {
                let l = self.literals[n];
                if self.mentions(l, array) {
                    let is_read = |t: &Term| {
                        self.store.op(*t) == Op::Select && self.store.op(self.store.arg(*t, 0)) == Op::Store
                    };
                    found = self.store.post_order([l]).find(is_read);
                    if found.is_some_and(|t| !self.mentions(t, array)) {
                        found = None;
                    }
                }
                if found.is_some() {
                    break;
                }
            }
            let Some(read) = found else { return Some(()) };
            let (written, at) = (self.store.arg(read, 0), self.store.arg(read, 1));
            let parts = self.store.args(written).to_vec();
            let same = self.value(parts[1])? == self.value(at)?;
            let equal = self.store.eq(parts[1], at);
            let by = if same { parts[2] } else { self.store.select(parts[0], at) };
            let mut subst = Substitution::new();
            subst.insert(read, by);
            for l in &mut self.literals {
                *l = subst.apply(self.store, *l);
            }
            let literal = if same { equal } else { self.store.not(equal) };
            self.literals.push(literal);
            self.tidy();
        }
    }

    /// Gives names to what is read from the array.
    fn name_reads(&mut self, array: Term) -> Option<()> {
        let (index_sort, element) = self.store.array_sorts(self.store.sort_of(array))?;
        // Representative index, its value, and the name of what is there.
        let mut places: Vec<(Term, Value, Term)> = Vec::new();
        loop {
            let mut read = None;
            for n in 0..self.literals.len() {
                let l = self.literals[n];
                if !self.mentions(l, array) {
                    continue;
                }
                // Innermost first: arguments come before what reads with them.
                let is_read = |t: &Term| self.store.op(*t) == Op::Select && self.store.arg(*t, 0) == array;
                read = self.store.post_order([l]).find(is_read);
                if read.is_some() {
                    break;
                }
            }
            let Some(read) = read else { break };
            let index = self.store.arg(read, 1);
            let at = self.value(index)?;
            let name = match places.iter().find(|(_, v, _)| *v == at) {
                Some(&(representative, _, name)) => {
                    let equal = self.store.eq(index, representative);
                    self.literals.push(equal);
                    name
                }
                None => {
                    let value = self.value(read)?;
                    let name = self.fresh(element, value)?;
                    places.push((index, at, name));
                    name
                }
            };
            let mut subst = Substitution::new();
            subst.insert(read, name);
            for l in &mut self.literals {
                *l = subst.apply(self.store, *l);
            }
            self.tidy();
        }
        places.sort_by(|a, b| a.1.order(&b.1));
        let ordered = index_sort == Sort::INT || index_sort == Sort::REAL;
        let mut added = FxHashSet::default();
        for (n, (i, _, _)) in places.iter().enumerate() {
            let others =
                if ordered { &places[..n.min(places.len())][n.saturating_sub(1)..] } else { &places[..n] };
            for (j, _, _) in others {
                let apart = if ordered {
                    self.store.lt(*j, *i)
                } else {
                    let equal = self.store.eq(*i, *j);
                    self.store.not(equal)
                };
                if added.insert(apart) {
                    self.literals.push(apart);
                }
            }
        }
        self.tidy();
        Some(())
    }
}
