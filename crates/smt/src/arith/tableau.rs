//! The sparse tableau: each basic variable as a linear form over the nonbasic ones.
//!
//! Rows hold their entries; columns hold where a nonbasic variable occurs. Entry and occurrence point at each other, so
//! that both are removed in constant time, and pivoting needs no hashing. The tableau knows neither bounds nor values.

use bolide_base::{IdVec, Rational, index_type};

use super::types::{Form, VarId};

index_type! {
    /// A row of the tableau.
    pub(super) struct RowId("row");
}

const NOWHERE: u32 = u32::MAX;

/// A nonbasic variable in a row.
pub(super) struct Entry {
    pub var: VarId,
    pub coeff: Rational,
    /// Where this row stands in the column of `var`.
    back: u32,
}

impl Entry {
    /// The basic variable of a row as one more entry, when the row is read as `0 = sum of entries`.
    pub fn of_basic(var: VarId) -> Self {
        Entry { var, coeff: Rational::MINUS_ONE, back: NOWHERE }
    }
}

/// The equation `basic = sum of entries`.
pub(super) struct Row {
    pub basic: VarId,
    pub entries: Vec<Entry>,
}

/// Where a nonbasic variable occurs.
#[derive(Clone, Copy)]
pub(super) struct Occurrence {
    pub row: RowId,
    pos: u32,
}

/// Invariants: the column of a basic variable is empty; a row has at most one entry per variable, and none is zero.
#[derive(Default)]
pub(super) struct Tableau {
    rows: IdVec<RowId, Row>,
    columns: IdVec<VarId, Vec<Occurrence>>,
    basic_row: IdVec<VarId, Option<RowId>>,
    /// The form that is being added to other rows, and where a variable stands in it.
    addend: Vec<(VarId, Rational)>,
    slot: IdVec<VarId, u32>,
    /// The last row addition that met this place of `addend`.
    met: Vec<u64>,
    additions: u64,
}

impl Tableau {
    /// Makes room for one more variable.
    pub fn add_var(&mut self) {
        self.columns.push(Vec::new());
        self.basic_row.push(None);
        self.slot.push(NOWHERE);
    }

    pub fn num_rows(&self) -> usize {
        self.rows.len()
    }

    pub fn row_ids(&self) -> impl Iterator<Item = RowId> + use<> {
        self.rows.ids()
    }

    pub fn row(&self, row: RowId) -> &Row {
        &self.rows[row]
    }

    /// The row of a basic variable.
    pub fn row_of(&self, var: VarId) -> Option<RowId> {
        self.basic_row[var]
    }

    pub fn is_basic(&self, var: VarId) -> bool {
        self.basic_row[var].is_some()
    }

    pub fn column_len(&self, var: VarId) -> usize {
        self.columns[var].len()
    }

    /// The rows in which a nonbasic variable occurs, with its coefficients.
    pub fn column(&self, var: VarId) -> impl Iterator<Item = (RowId, &Rational)> {
        self.columns[var].iter().map(|occ| (occ.row, &self.rows[occ.row].entries[occ.pos as usize].coeff))
    }

    /// The shortest row with a nonbasic variable, and the place of the variable in it.
    pub fn shortest_row_with(&self, var: VarId) -> Option<(RowId, usize)> {
        let occurrences = self.columns[var].iter();
        let shortest = occurrences.min_by_key(|occ| (self.rows[occ.row].entries.len(), occ.row))?;
        Some((shortest.row, shortest.pos as usize))
    }

    /// Adds the row `basic = form`, where `basic` occurs nowhere yet and variables of `form` may be basic.
    pub fn insert_row(&mut self, basic: VarId, form: &Form) {
        self.addend.clear();
        for (coeff, var) in form {
            match self.basic_row[*var] {
                None => Self::accumulate(&mut self.addend, &mut self.slot, *var, coeff.clone()),
                Some(row) => {
                    for entry in &self.rows[row].entries {
                        let product = &entry.coeff * coeff;
                        Self::accumulate(&mut self.addend, &mut self.slot, entry.var, product);
                    }
                }
            }
        }
        let row = self.rows.push(Row { basic, entries: Vec::with_capacity(self.addend.len()) });
        self.basic_row[basic] = Some(row);
        for (var, coeff) in std::mem::take(&mut self.addend) {
            self.slot[var] = NOWHERE;
            if !coeff.is_zero() {
                self.push_entry(row, var, coeff);
            }
        }
    }

    fn accumulate(
        sum: &mut Vec<(VarId, Rational)>,
        slot: &mut IdVec<VarId, u32>,
        var: VarId,
        coeff: Rational,
    ) {
        match slot[var] {
            NOWHERE => {
                slot[var] = sum.len() as u32;
                sum.push((var, coeff));
            }
            place => sum[place as usize].1 += coeff,
        }
    }

    /// Removes the row of `basic`, which occurs nowhere afterwards.
    pub fn remove_row(&mut self, basic: VarId) {
        let Some(row) = self.basic_row[basic].take() else { return };
        while let Some(last) = self.rows[row].entries.len().checked_sub(1) {
            self.remove_entry(row, last);
        }
        let Some(moved) = self.rows.pop() else { return };
        if self.rows.next_id() != row {
            self.basic_row[moved.basic] = Some(row);
            for entry in &moved.entries {
                self.columns[entry.var][entry.back as usize].row = row;
            }
            self.rows[row] = moved;
        }
    }

    /// Exchanges the basic variable of `row` with the variable of its entry at `pos`.
    pub fn pivot(&mut self, row: RowId, pos: usize) {
        let leaving = self.rows[row].basic;
        let Entry { var: entering, coeff, .. } = self.remove_entry(row, pos);
        let inverse = coeff.recip();
        let factor = -&inverse;
        if !factor.is_one() {
            self.rows[row].entries.iter_mut().for_each(|entry| entry.coeff *= &factor);
        }
        self.basic_row[leaving] = None;
        self.basic_row[entering] = Some(row);
        self.rows[row].basic = entering;
        self.push_entry(row, leaving, inverse);

        self.load_addend(row);
        let mut column = std::mem::take(&mut self.columns[entering]);
        bolide_base::spend(((column.len() + 1) * (self.addend.len() + 1)) as u64);
        for occ in column.drain(..) {
            let entry = self.detach(occ.row, occ.pos as usize);
            self.add_addend(occ.row, &entry.coeff);
        }
        self.columns[entering] = column;
        for (var, _) in &self.addend {
            self.slot[*var] = NOWHERE;
        }
    }

    fn load_addend(&mut self, row: RowId) {
        self.addend.clear();
        for (place, entry) in self.rows[row].entries.iter().enumerate() {
            self.slot[entry.var] = place as u32;
            self.addend.push((entry.var, entry.coeff.clone()));
        }
        if self.met.len() < self.addend.len() {
            self.met.resize(self.addend.len(), 0);
        }
    }

    /// Adds `factor` times the loaded form to a row.
    fn add_addend(&mut self, row: RowId, factor: &Rational) {
        self.additions += 1;
        for pos in (0..self.rows[row].entries.len()).rev() {
            let entry = &mut self.rows[row].entries[pos];
            let place = self.slot[entry.var];
            if place == NOWHERE {
                continue;
            }
            self.met[place as usize] = self.additions;
            entry.coeff.add_mul(factor, &self.addend[place as usize].1);
            if entry.coeff.is_zero() {
                // The entry that moves here comes from behind and has been visited.
                self.remove_entry(row, pos);
            }
        }
        for place in 0..self.addend.len() {
            if self.met[place] != self.additions {
                let (var, coeff) = &self.addend[place];
                let (var, product) = (*var, factor * coeff);
                self.push_entry(row, var, product);
            }
        }
    }

    fn push_entry(&mut self, row: RowId, var: VarId, coeff: Rational) {
        let entries = &mut self.rows[row].entries;
        let column = &mut self.columns[var];
        entries.push(Entry { var, coeff, back: column.len() as u32 });
        column.push(Occurrence { row, pos: (entries.len() - 1) as u32 });
    }

    fn remove_entry(&mut self, row: RowId, pos: usize) -> Entry {
        let entry = self.detach(row, pos);
        let back = entry.back as usize;
        let column = &mut self.columns[entry.var];
        column.swap_remove(back);
        if let Some(moved) = column.get(back) {
            self.rows[moved.row].entries[moved.pos as usize].back = entry.back;
        }
        entry
    }

    /// Takes an entry out of its row but leaves its column alone.
    fn detach(&mut self, row: RowId, pos: usize) -> Entry {
        let entries = &mut self.rows[row].entries;
        let entry = entries.swap_remove(pos);
        if let Some(moved) = entries.get(pos) {
            self.columns[moved.var][moved.back as usize].pos = pos as u32;
        }
        entry
    }

    #[cfg(test)]
    pub fn assert_invariants(&self) {
        let mut entries = 0;
        for (id, row) in self.rows.iter_enumerated() {
            assert_eq!(self.basic_row[row.basic], Some(id));
            assert!(self.columns[row.basic].is_empty());
            for (pos, entry) in row.entries.iter().enumerate() {
                let occ = self.columns[entry.var][entry.back as usize];
                assert_eq!((occ.row, occ.pos as usize), (id, pos));
                assert!(!entry.coeff.is_zero());
                entries += 1;
            }
        }
        assert_eq!(entries, self.columns.iter().map(Vec::len).sum::<usize>());
        assert!(self.slot.iter().all(|&slot| slot == NOWHERE));
    }
}

/// A set of rows that is emptied in time proportional to its size.
#[derive(Default)]
pub(super) struct RowSet {
    order: Vec<RowId>,
    member: Vec<bool>,
}

impl RowSet {
    pub fn insert(&mut self, row: RowId) {
        if self.member.len() <= row.index() {
            self.member.resize(row.index() + 1, false);
        }
        if !std::mem::replace(&mut self.member[row.index()], true) {
            self.order.push(row);
        }
    }

    /// The row that was inserted at this place.
    pub fn get(&self, place: usize) -> Option<RowId> {
        self.order.get(place).copied()
    }

    /// Empties the set, returning its members in the order of insertion.
    pub fn drain(&mut self) -> Vec<RowId> {
        let rows = std::mem::take(&mut self.order);
        rows.iter().for_each(|row| self.member[row.index()] = false);
        rows
    }
}
