//! Results of recursive functions, value by value of an argument.
//!
//! Where the result of a function (or by how much it changes a variable) depends on one argument and grows faster than any polynomial, the results for
//! small arguments mostly follow a linear recurrence, which tells the results for larger ones. What comes out is one fact for each value of the argument.

use bolide_base::Rational;
use bolide_term::{Linear, Store, Term};
use std::collections::{BTreeMap, BTreeSet};

/// So many results are known at least before a recurrence is believed.
const LEAST: usize = 6;
/// A table goes on for so many values at most, beyond the ones that were met.
const MOST: i64 = 64;
/// Larger results are left out.
const LARGEST_BITS: u32 = 64;

/// What the states of an exit are about.
pub struct Shape<'a> {
    /// The arguments of the exit's predicate: the values at the entry, and then those at the exit.
    pub params: &'a [Term],
    /// The positions of those that the states hold.
    pub columns: &'a [usize],
    /// How many values at the entry there are.
    pub inputs: usize,
    /// The positions of the values at the exit, each with that of the same variable's value at the entry.
    pub results: &'a [(usize, Option<usize>)],
}

/// That a form is zero where a condition holds.
pub struct Case {
    /// The condition.
    pub holds: Term,
    /// The form.
    pub form: Linear,
}

/// Facts about the values at an exit, one for each value of an argument.
pub fn guesses(
    store: &mut Store,
    shape: &Shape<'_>,
    states: &BTreeSet<Vec<Rational>>,
    constants: &BTreeSet<i64>,
) -> Vec<Case> {
    let at = |position: usize| shape.columns.iter().position(|&c| c == position);
    let mut out = Vec::new();
    for argument in 0..shape.inputs {
        let Some(n) = at(argument) else { continue };
        for &(result, before) in shape.results {
            let Some(z) = at(result) else { continue };
            for before in [None, before.and_then(at)] {
                let value = |s: &Vec<Rational>| before.map_or_else(|| s[z].clone(), |b| &s[z] - &s[b]);
                let Some(mut table) = table_of(states.iter().map(|s| (s[n].to_i64(), value(s)))) else {
                    continue;
                };
                extend(&mut table, constants);
                let term = match before {
                    Some(b) => {
                        let before = shape.params[shape.columns[b]];
                        store.sub(shape.params[result], before)
                    }
                    None => shape.params[result],
                };
                facts(store, shape.params[argument], term, &table, &mut out);
                break;
            }
        }
    }
    out
}

/// The results by argument, if the argument decides about them.
fn table_of(pairs: impl Iterator<Item = (Option<i64>, Rational)>) -> Option<BTreeMap<i64, Rational>> {
    let mut table = BTreeMap::new();
    for (k, value) in pairs {
        if *table.entry(k?).or_insert_with(|| value.clone()) != value {
            return None;
        }
    }
    let different: BTreeSet<&Rational> = table.values().collect();
    (different.len() >= LEAST).then_some(table)
}

/// Goes on with a table up to the next constant of the program, if the results follow a recurrence.
fn extend(table: &mut BTreeMap<i64, Rational>, constants: &BTreeSet<i64>) {
    // The longest stretch without a gap, from the last value on if there are several.
    let keys: Vec<i64> = table.keys().copied().collect();
    let stretches = keys.chunk_by(|a, b| a + 1 == *b);
    let Some(stretch) = stretches.max_by_key(|s| s.len()) else { return };
    let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
    let values: Vec<Rational> = stretch.iter().map(|k| table[k].clone()).collect();
    let Some(recurrence) = recurrence(&values) else { return };
    let until = constants.range(last..=last.saturating_add(MOST)).next_back().copied().unwrap_or(last);
    let mut values = values;
    for k in last + 1..=until.max(first) {
        let [.., before, now] = &values[..] else { return };
        let [a, b, c] = &recurrence;
        let next = a * now + b * before + c;
        if next.abs() > Rational::pow2(LARGEST_BITS) {
            return;
        }
        // A value beyond a gap says whether the recurrence goes on.
        if table.get(&k).is_some_and(|known| *known != next) {
            return;
        }
        values.push(next.clone());
        table.insert(k, next);
    }
}

/// The numbers `a`, `b`, `c` such that each value, from some value on, is `a` times the one before it, `b` times that before, and `c`.
fn recurrence(values: &[Rational]) -> Option<[Rational; 3]> {
    let last = values.len().checked_sub(LEAST)?;
    let tail = &values[last..];
    let follows = |[a, b, c]: &[Rational; 3]| tail.windows(3).all(|w| a * &w[1] + b * &w[0] + c == w[2]);
    // v' = a v + c.
    let (d0, d1) = (&tail[1] - &tail[0], &tail[2] - &tail[1]);
    if !d0.is_zero() {
        let a = &d1 / &d0;
        let c = &tail[1] - &(&a * &tail[0]);
        let found = [a, Rational::ZERO, c];
        if follows(&found) {
            return Some(found);
        }
    }
    // v'' = a v' + b v.
    let det = &tail[1] * &tail[1] - &tail[0] * &tail[2];
    if det.is_zero() {
        return None;
    }
    let a = (&tail[2] * &tail[1] - &tail[0] * &tail[3]) / &det;
    let b = (&tail[1] * &tail[3] - &tail[2] * &tail[2]) / &det;
    let found = [a, b, Rational::ZERO];
    follows(&found).then_some(found)
}

/// That a term has the value of a table that belongs to the value of another one; below the table it stays as it was at its start, if it did so there.
fn facts(
    store: &mut Store,
    argument: Term,
    term: Term,
    table: &BTreeMap<i64, Rational>,
    out: &mut Vec<Case>,
) {
    for (n, (&k, value)) in table.iter().enumerate() {
        if !value.is_integer() || table.len() - n > 2 * MOST as usize {
            continue;
        }
        let mut form = store.linear(term);
        form.constant -= value;
        let number = store.int(k);
        let is_first = table.values().take(n).all(|v| v == value);
        let holds = if is_first { store.le(argument, number) } else { store.eq(argument, number) };
        out.push(Case { holds, form: form.clone() });
        if is_first {
            out.push(Case { holds: store.eq(argument, number), form });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64]) -> Option<[Rational; 3]> {
        recurrence(&values.iter().map(|&v| Rational::from(v)).collect::<Vec<_>>())
    }

    #[test]
    fn recurrences_of_the_first_and_second_order_are_found() {
        let numbers = |a: i64, b: i64, c: i64| Some([a, b, c].map(Rational::from));
        assert_eq!(of(&[1, 3, 7, 15, 31, 63, 127]), numbers(2, 0, 1));
        assert_eq!(of(&[0, 0, 1, 1, 2, 3, 5, 8, 13]), numbers(1, 1, 0));
        assert_eq!(of(&[1, 2, 6, 24, 120, 720, 5040]), None);
    }

    #[test]
    fn a_table_goes_on_to_the_next_constant() {
        let mut table: BTreeMap<i64, Rational> =
            (0..10).map(|k| (k, Rational::from((1i64 << k) - 1))).collect();
        extend(&mut table, &BTreeSet::from([1, 20, 1000]));
        assert_eq!(table.len(), 21);
        assert_eq!(table[&20], Rational::from((1i64 << 20) - 1));
    }
}
