//! Bytes by address, in pages; what was never written is zero.

use super::snapshot::sum;
use rustc_hash::FxHashMap;

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
    pages: FxHashMap<i128, Box<[u8; PAGE as usize]>>,
}

impl Pages {
    pub fn get(&self, address: i128) -> u8 {
        let page = self.pages.get(&address.div_euclid(PAGE));
        page.map_or(0, |p| p[address.rem_euclid(PAGE) as usize])
    }

    pub fn set(&mut self, address: i128, value: u8) {
        let page = address.div_euclid(PAGE);
        let page = self.pages.entry(page).or_insert_with(|| Box::new([0; PAGE as usize]));
        page[address.rem_euclid(PAGE) as usize] = value;
    }

    /// Some bytes as a number, the lowest first; at most sixteen.
    pub fn read(&self, address: i128, bytes: u32) -> i128 {
        let start = address.rem_euclid(PAGE) as usize;
        if start + bytes as usize > PAGE as usize {
            return (0..bytes).fold(0, |v, n| v | i128::from(self.get(address + i128::from(n))) << (8 * n));
        }
        let page = self.pages.get(&address.div_euclid(PAGE));
        page.map_or(0, |p| number(&p[start..start + bytes as usize]))
    }

    /// Stores the lowest bytes of a number; at most sixteen.
    pub fn write(&mut self, address: i128, bytes: u32, value: i128) {
        let start = address.rem_euclid(PAGE) as usize;
        if start + bytes as usize > PAGE as usize {
            (0..bytes).for_each(|n| self.set(address + i128::from(n), (value >> (8 * n)) as u8));
            return;
        }
        let page = address.div_euclid(PAGE);
        let page = self.pages.entry(page).or_insert_with(|| Box::new([0; PAGE as usize]));
        page[start..start + bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }

    /// Sets bytes to zero, however many.
    pub fn clear_range(&mut self, address: i128, bytes: i128) {
        if bytes <= 0 {
            return;
        }
        let (first, last) = (address.div_euclid(PAGE), (address + bytes - 1).div_euclid(PAGE));
        let clear = |number: i128, page: &mut [u8; PAGE as usize]| {
            let low = (address - number * PAGE).clamp(0, PAGE) as usize;
            let high = (address + bytes - number * PAGE).clamp(0, PAGE) as usize;
            page[low..high].fill(0);
        };
        if last - first < self.pages.len() as i128 {
            for number in first..=last {
                if let Some(page) = self.pages.get_mut(&number) {
                    clear(number, page);
                }
            }
        } else {
            for (&number, page) in self.pages.iter_mut().filter(|p| (first..=last).contains(p.0)) {
                clear(number, page);
            }
        }
    }

    pub fn clear(&mut self) {
        self.pages.clear();
    }

    /// About how many bytes a copy takes.
    pub fn size(&self) -> usize {
        self.pages.len() * PAGE as usize
    }

    /// A number that memories with the same bytes share.
    pub fn fingerprint(&self) -> u64 {
        sum(&self.pages)
    }

    /// Is there too much in it to go on?
    pub fn is_full(&self) -> bool {
        self.pages.len() > MOST_PAGES
    }
}
