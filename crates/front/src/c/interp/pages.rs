//! Bytes by address, in pages; what was never written is zero. Long fills make no pages.

use super::snapshot::sum;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

const PAGE: i128 = 256;
/// With more pages than this no execution goes on.
const MOST_PAGES: usize = 1 << 19;

/// Bytes as a number, the lowest first; at most sixteen.
pub(super) fn number(bytes: &[u8]) -> i128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(all)
}

/// The memory of an execution.
#[derive(Clone, Default)]
pub(super) struct Pages {
    pages: FxHashMap<i128, Page>,
    /// What pages hold that are not there: from each number of a page up to another one the same byte. Zero where nothing is said. Stretches do
    /// not overlap.
    fills: BTreeMap<i128, (i128, u8)>,
}

type Page = Box<[u8; PAGE as usize]>;

impl Pages {
    pub fn get(&self, address: i128) -> u8 {
        let page = address.div_euclid(PAGE);
        self.pages.get(&page).map_or_else(|| self.filled(page), |p| p[address.rem_euclid(PAGE) as usize])
    }

    pub fn set(&mut self, address: i128, value: u8) {
        self.page(address.div_euclid(PAGE))[address.rem_euclid(PAGE) as usize] = value;
    }

    /// What a page holds that is not there.
    fn filled(&self, page: i128) -> u8 {
        match self.fills.range(..=page).next_back() {
            Some((_, &(end, value))) if page < end => value,
            _ => 0,
        }
    }

    /// A page that is there from now on.
    fn page(&mut self, number: i128) -> &mut Page {
        let value = if self.fills.is_empty() { 0 } else { self.filled(number) };
        self.pages.entry(number).or_insert_with(|| Box::new([value; PAGE as usize]))
    }

    /// Some bytes as a number, the lowest first; at most sixteen.
    pub fn read(&self, address: i128, bytes: u32) -> i128 {
        let start = address.rem_euclid(PAGE) as usize;
        if start + bytes as usize > PAGE as usize {
            return (0..bytes).fold(0, |v, n| v | i128::from(self.get(address + i128::from(n))) << (8 * n));
        }
        let page = address.div_euclid(PAGE);
        match self.pages.get(&page) {
            Some(p) => number(&p[start..start + bytes as usize]),
            None => number(&[self.filled(page); 16][..bytes as usize]),
        }
    }

    /// Stores the lowest bytes of a number; at most sixteen.
    pub fn write(&mut self, address: i128, bytes: u32, value: i128) {
        let start = address.rem_euclid(PAGE) as usize;
        if start + bytes as usize > PAGE as usize {
            (0..bytes).for_each(|n| self.set(address + i128::from(n), (value >> (8 * n)) as u8));
            return;
        }
        let page = self.page(address.div_euclid(PAGE));
        page[start..start + bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }

    /// Sets bytes to a value, however many.
    pub fn fill(&mut self, address: i128, bytes: i128, value: u8) {
        if bytes <= 0 {
            return;
        }
        let end = address + bytes;
        // The pages that are filled as a whole.
        let (first, last) = ((address + PAGE - 1).div_euclid(PAGE), end.div_euclid(PAGE));
        if first >= last {
            return self.fill_parts(address, end, value);
        }
        self.fill_parts(address, first * PAGE, value);
        self.fill_parts(last * PAGE, end, value);
        if last - first < self.pages.len() as i128 {
            (first..last).for_each(|page| _ = self.pages.remove(&page));
        } else {
            self.pages.retain(|page, _| !(first..last).contains(page));
        }
        self.set_filled(first, last, value);
    }

    /// Sets the bytes up to an address that lie in at most two pages.
    fn fill_parts(&mut self, mut address: i128, end: i128, value: u8) {
        while address < end {
            let page = address.div_euclid(PAGE);
            let part_end = end.min((page + 1) * PAGE);
            if self.pages.contains_key(&page) || self.filled(page) != value {
                let range = (address - page * PAGE) as usize..(part_end - page * PAGE) as usize;
                self.page(page)[range].fill(value);
            }
            address = part_end;
        }
    }

    /// Says what pages hold that are not there.
    fn set_filled(&mut self, first: i128, last: i128, value: u8) {
        if let Some((&start, &(end, old))) = self.fills.range(..first).next_back()
            && end > first
        {
            self.fills.insert(start, (first, old));
            if end > last {
                self.fills.insert(last, (end, old));
            }
        }
        while let Some((&start, &(end, old))) = self.fills.range(first..last).next() {
            self.fills.remove(&start);
            if end > last {
                self.fills.insert(last, (end, old));
            }
        }
        if value != 0 {
            self.fills.insert(first, (last, value));
        }
    }

    pub fn clear(&mut self) {
        self.pages.clear();
        self.fills.clear();
    }

    /// About how many bytes a copy takes.
    pub fn size(&self) -> usize {
        self.pages.len() * PAGE as usize
    }

    /// A number that memories with the same bytes share.
    pub fn fingerprint(&self) -> u64 {
        let mut fills = FxHasher::default();
        self.fills.hash(&mut fills);
        sum(&self.pages).wrapping_add(if self.fills.is_empty() { 0 } else { fills.finish() })
    }

    /// Is there too much in it to go on?
    pub fn is_full(&self) -> bool {
        self.pages.len() > MOST_PAGES
    }
}
