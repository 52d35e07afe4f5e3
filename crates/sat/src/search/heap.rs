//! A binary heap of variables by activity.

const ABSENT: u32 = u32::MAX;

/// The most active variable comes first.
#[derive(Default)]
pub struct Heap {
    vars: Vec<u32>,
    /// By variable: its place in `vars`.
    place: Vec<u32>,
}

impl Heap {
    pub fn clear(&mut self) {
        for var in self.vars.drain(..) {
            self.place[var as usize] = ABSENT;
        }
    }

    /// Adds a variable that is not there, at the end: the heap is in disorder until [`Heap::heapify`].
    pub fn append(&mut self, var: usize) {
        if self.place.len() <= var {
            self.place.resize(var + 1, ABSENT);
        }
        self.place[var] = self.vars.len() as u32;
        self.vars.push(var as u32);
    }

    pub fn heapify(&mut self, activity: &[f32]) {
        for at in (0..self.vars.len() / 2).rev() {
            self.sink(at, activity);
        }
    }

    pub fn insert(&mut self, var: usize, activity: &[f32]) {
        if self.place.get(var).is_none_or(|&place| place == ABSENT) {
            self.append(var);
            self.rise(self.vars.len() - 1, activity);
        }
    }

    /// Restores the order after a variable became more active.
    pub fn increased(&mut self, var: usize, activity: &[f32]) {
        if let Some(&place) = self.place.get(var).filter(|&&place| place != ABSENT) {
            self.rise(place as usize, activity);
        }
    }

    /// Takes variables off until one is not assigned.
    pub fn pop_unassigned(&mut self, activity: &[f32], values: &[i8]) -> Option<usize> {
        while let Some(&var) = self.vars.first() {
            let last = self.vars.pop()?;
            self.place[var as usize] = ABSENT;
            if last != var {
                self.vars[0] = last;
                self.place[last as usize] = 0;
                self.sink(0, activity);
            }
            if values[2 * var as usize] == 0 {
                return Some(var as usize);
            }
        }
        None
    }

    fn rise(&mut self, mut at: usize, activity: &[f32]) {
        let var = self.vars[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if activity[self.vars[parent] as usize] >= activity[var as usize] {
                break;
            }
            self.put(at, self.vars[parent]);
            at = parent;
        }
        self.put(at, var);
    }

    fn sink(&mut self, mut at: usize, activity: &[f32]) {
        let var = self.vars[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.vars.len() {
                break;
            }
            let right = child + 1;
            if right < self.vars.len()
                && activity[self.vars[right] as usize] > activity[self.vars[child] as usize]
            {
                child = right;
            }
            if activity[self.vars[child] as usize] <= activity[var as usize] {
                break;
            }
            self.put(at, self.vars[child]);
            at = child;
        }
        self.put(at, var);
    }

    fn put(&mut self, at: usize, var: u32) {
        self.vars[at] = var;
        self.place[var as usize] = at as u32;
    }
}
