//! Which bytes of an execution have been written, where the use of uninitialised values is checked.

use super::super::hir::{Base, Place, Storage, VarId};
use super::super::layout::Home;
use super::{Bytes, End, Fault, Interpreter, Known};
use bolide_model::PropertyId;
use rustc_hash::FxHashSet;

/// The bytes of memory that have been written.
#[derive(Clone, Default)]
pub(super) struct Contents {
    written: FxHashSet<i128>,
    /// Where static objects are, which are always initialised: starts and ends.
    statics: Vec<(i128, i128)>,
    /// The bytes of slots without address that have been written.
    slots: LocalContents,
}

/// The bytes that have been written of the variables of a function that have no address.
pub(super) type LocalContents = FxHashSet<(VarId, i128)>;

impl Interpreter<'_> {
    /// What is there when the program starts.
    pub(super) fn start_contents(&mut self) {
        self.contents = Contents::default();
        if !self.unit.tracks_contents {
            return;
        }
        for (v, variable) in self.unit.vars.iter_enumerated() {
            if let (Home::Fixed(a), Storage::Static, false) =
                (self.layout.vars[v], variable.storage, variable.is_slot)
            {
                let size = self.unit.types.size_of(variable.ty).unwrap_or(0);
                self.contents.statics.push((a, a + i128::from(size)));
            }
        }
    }

    /// Bytes are written, or a lifetime starts.
    pub(super) fn note_written(&mut self, at: &Bytes, size: i128, is_written: bool) {
        if !self.unit.tracks_contents || !self.charge(size) {
            return;
        }
        for n in 0..size {
            self.note_byte(at, n, is_written);
        }
    }

    fn note_byte(&mut self, at: &Bytes, n: i128, is_written: bool) {
        match *at {
            Bytes::Static(v, _) if !self.unit.vars[v].is_slot => {}
            Bytes::Static(v, o) if is_written => _ = self.contents.slots.insert((v, o + n)),
            Bytes::Static(v, o) => _ = self.contents.slots.remove(&(v, o + n)),
            Bytes::Memory(a) if is_written => _ = self.contents.written.insert(a + n),
            Bytes::Memory(a) => _ = self.contents.written.remove(&(a + n)),
            Bytes::Local(v, o) if is_written => _ = self.frame().contents.insert((v, o + n)),
            Bytes::Local(v, o) => _ = self.frame().contents.remove(&(v, o + n)),
        }
    }

    fn is_written(&self, at: &Bytes, n: i128) -> bool {
        match *at {
            Bytes::Static(v, o) => !self.unit.vars[v].is_slot || self.contents.slots.contains(&(v, o + n)),
            Bytes::Memory(a) => {
                let is_static = |&(start, end): &(i128, i128)| (start..end).contains(&(a + n));
                self.contents.written.contains(&(a + n)) || self.contents.statics.iter().any(is_static)
            }
            Bytes::Local(v, o) => self.frames.last().is_some_and(|f| f.contents.contains(&(v, o + n))),
        }
    }

    /// Bytes are copied: what was not written is not written there, either.
    pub(super) fn copy_written(&mut self, to: &Bytes, from: &Bytes, size: i128) {
        if !self.unit.tracks_contents || self.too_much.is_some() {
            return;
        }
        let written: Vec<bool> = (0..size).map(|n| self.is_written(from, n)).collect();
        for (n, is_written) in written.into_iter().enumerate() {
            self.note_byte(to, n as i128, is_written);
        }
    }

    /// The value of a place is used: all of it has been written.
    pub(super) fn check_initialised(&mut self, place: &Place, property: PropertyId) -> Known<Option<End>> {
        let at = self.locate(place)?;
        let size = self.unit.types.representation(place.ty).map_or(0, |t| i128::from(t.bits / 8));
        if (0..size).all(|n| self.is_written(&at, n)) {
            return Ok(None);
        }
        if let (Bytes::Memory(address), Base::Deref(e)) = (&at, place.base) {
            // What lies outside of all objects has no value.
            let object = self.object_of(e)?;
            if !self.is_in_object(*address, size, object) {
                return Ok(None);
            }
        }
        let what = "the value was never set".to_string();
        self.fault = Some(Fault { what, born: None, died: None });
        Ok(Some(End::Error(property)))
    }
}
