//! Large arrays, of which only some elements are tracked.
//!
//! A table of addresses, which never change but may be any, says which elements are tracked. A value of an array is their
//! contents, a word that all other elements have as long as a bit says so, and that bit. Reading an element that is not
//! tracked yields an input, so that the circuit has all runs of the file, and more. Two things follow.
//!
//! - Where an error depends on few elements, the addresses can be chosen to be theirs (prophecy: Mann, Irfan, Griggio,
//!   Padon and Barrett, "Counterexample-Guided Prophecy for Model Checking Modulo the Theory of Arrays", TACAS 2021). Every
//!   run into a bad state has a twin whose first addresses are those that were read in the bad step and in the step
//!   before, so a bad bit demands that.
//! - A run is exact if every input that was read in this way is the word that all elements have that are not tracked,
//!   and none of these was given another value. This is said by the `exact` bits of the circuit.

use super::words::{self, Word};
use bolide_model::circuit::{Aig, Bit, Circuit};

/// How many elements are tracked.
const CELLS: usize = 8;
/// For so many reads two cells are reserved: for the address that is read, and for the one that was read a step ago.
const LINKED_READS: usize = 3;

/// How many bits a value of an array has: the cells, the word that the other elements have, and whether they may have
/// any values instead.
pub fn bits(element: usize) -> usize {
    (CELLS + 1) * element + 1
}

/// The value of an array that has the same word everywhere.
pub fn filled(word: &[Bit]) -> Word {
    let mut bits: Word = word.iter().copied().cycle().take((CELLS + 1) * word.len()).collect();
    bits.push(Bit::FALSE);
    bits
}

/// The bits of a value.
struct Parts<'a> {
    cells: Vec<&'a [Bit]>,
    /// What all other elements are, if they are not lost.
    others: &'a [Bit],
    lost: Bit,
}

fn parts(value: &[Bit], element: usize) -> Parts<'_> {
    let (words, lost) = value.split_at((CELLS + 1) * element);
    let mut cells: Vec<&[Bit]> = words.chunks(element).collect();
    let others = cells.pop().unwrap_or(&[]);
    Parts { cells, others, lost: lost.first().copied().unwrap_or(Bit::TRUE) }
}

/// The tracked addresses of arrays with indices of one width.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Bits of an index.
    pub index: usize,
    /// The numbers of the latches of the addresses.
    pub latches: Vec<Vec<usize>>,
    addresses: Vec<Word>,
    /// How many reads have their cells.
    linked: usize,
    /// The first addresses are those that are read in this step and were read in the step before.
    pub is_linked: Bit,
}

impl Memory {
    /// Addresses that may be any.
    pub fn new(circuit: &mut Circuit, index: usize) -> Memory {
        let (mut latches, mut addresses) = (Vec::new(), Vec::new());
        for _ in 0..CELLS {
            let start = circuit.latches.len();
            addresses.push((0..index).map(|_| circuit.add_latch(None)).collect());
            latches.push((start..start + index).collect());
        }
        Memory { index, latches, addresses, linked: 0, is_linked: Bit::TRUE }
    }

    /// Which of the cells have this address.
    fn hits(&self, aig: &mut Aig, address: &[Bit]) -> Vec<Bit> {
        self.addresses.iter().map(|tracked| words::eq(aig, tracked, address)).collect()
    }

    /// Cells of the same address have the same contents.
    pub fn make_consistent(&self, circuit: &mut Circuit, value: &[Bit], element: usize) {
        let cells = parts(value, element).cells;
        let places: Vec<_> = self.addresses.iter().zip(cells).collect();
        for (number, (address, cell)) in places.iter().enumerate() {
            for (other_address, other_cell) in &places[number + 1..] {
                let same = words::eq(&mut circuit.aig, address, other_address);
                let agree = words::eq(&mut circuit.aig, cell, other_cell);
                let holds = circuit.aig.or(!same, agree);
                circuit.constraints.push(holds);
            }
        }
    }

    /// The element at an address.
    pub fn read(&mut self, circuit: &mut Circuit, value: &[Bit], element: usize, address: &[Bit]) -> Word {
        self.link(circuit, address);
        let hits = self.hits(&mut circuit.aig, address);
        let Parts { cells, others, lost } = parts(value, element);
        let unknown: Word = (0..element).map(|_| circuit.add_input()).collect();
        let mut word = unknown.clone();
        for (&hit, cell) in hits.iter().zip(&cells) {
            word = words::ite(&mut circuit.aig, hit, cell, &word);
        }
        let hit = circuit.aig.or_all(&hits);
        let is_other = words::eq(&mut circuit.aig, &unknown, others);
        let is_known = circuit.aig.and(!lost, is_other);
        let exact = circuit.aig.or(hit, is_known);
        circuit.exact.push(exact);
        word
    }

    /// The array with another element at an address.
    pub fn write(&self, aig: &mut Aig, value: &[Bit], address: &[Bit], word: &[Bit]) -> Word {
        let hits = self.hits(aig, address);
        let Parts { cells, others, lost } = parts(value, word.len());
        let mut bits = Word::with_capacity(value.len());
        for (&hit, cell) in hits.iter().zip(&cells) {
            bits.extend(words::ite(aig, hit, word, cell));
        }
        bits.extend_from_slice(others);
        let (hit, is_same) = (aig.or_all(&hits), words::eq(aig, word, others));
        let stays = aig.or(hit, is_same);
        bits.push(aig.or(lost, !stays));
        bits
    }

    /// Reserves cells for an address that is read.
    fn link(&mut self, circuit: &mut Circuit, address: &[Bit]) {
        if self.linked == LINKED_READS {
            return;
        }
        let start = circuit.latches.len();
        let before: Word = address.iter().map(|_| circuit.add_latch(None)).collect();
        for (latch, &bit) in circuit.latches[start..].iter_mut().zip(address) {
            latch.next = bit;
        }
        let cells = [2 * self.linked, 2 * self.linked + 1];
        for (cell, address) in cells.into_iter().zip([address, before.as_slice()]) {
            let is_tracked = words::eq(&mut circuit.aig, &self.addresses[cell], address);
            self.is_linked = circuit.aig.and(self.is_linked, is_tracked);
        }
        self.linked += 1;
    }
}

/// The first values that the bits of an array have whose elements may start with any.
pub fn any_start(at: usize, element: usize) -> Option<bool> {
    (at >= CELLS * element).then_some(false)
}

/// The cells of an array whose bits have these values.
pub fn cells(values: &[bool], element: usize) -> impl Iterator<Item = &[bool]> {
    values.chunks(element).take(CELLS)
}
