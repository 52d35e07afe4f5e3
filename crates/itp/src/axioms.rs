//! Partial interpolants of axiom instances.
//!
//! An instance all of whose symbols are known on one side is a clause of that side. An instance that talks about
//! both sides at once is interpolated if it is about a mixed equality of Booleans or words; otherwise there is
//! no interpolant to be read off this refutation.

use crate::colour::Colour;
use crate::partial::{Cut, Obstacle};
use crate::system::Label;
use bolide_proof::{Axiom, Literal};
use bolide_term::{Op, Term};

impl Cut<'_, '_> {
    pub(crate) fn axiom(&mut self, axiom: Axiom, clause: &[Literal]) -> Result<Term, Obstacle> {
        let mut left = false;
        let mut right = false;
        for &l in clause {
            match self.colour(l.atom()) {
                Colour::Left => left = true,
                Colour::Right => right = true,
                Colour::Shared => {}
                Colour::Mixed => (left, right) = (true, true),
            }
        }
        match (left, right) {
            (true, true) => self.mixed_axiom(axiom, clause),
            (true, false) => Ok(self.left_leaf(clause)),
            (false, _) => Ok(self.right_leaf(clause)),
        }
    }

    fn mixed_axiom(&mut self, axiom: Axiom, clause: &[Literal]) -> Result<Term, Obstacle> {
        match axiom {
            Axiom::Gate(e) if self.store.op(e) == Op::Eq => self.mixed_bits(e, clause),
            Axiom::WordEquality(e) => self.mixed_words(e, clause),
            Axiom::Gate(_) => Err(Obstacle::Unsupported("a formula over symbols of both sides")),
            Axiom::ReadOverWrite(_) | Axiom::ReadConstant(_) => {
                Err(Obstacle::Unsupported("an array of one side read at an index of the other"))
            }
            Axiom::Extensionality(_) => Err(Obstacle::Unsupported("two arrays compared across the cut")),
            _ => Err(Obstacle::Unsupported("a term over symbols of both sides")),
        }
    }

    /// A clause of the gate `p = q` where `p` is left and `q` right: what it says about the left one.
    fn mixed_bits(&mut self, e: Term, clause: &[Literal]) -> Result<Term, Obstacle> {
        let mixed = self.mixed(e)?;
        let denied = clause.contains(&Literal::new(e, true));
        let left = clause
            .iter()
            .find(|l| l.atom() != e && self.colour(l.atom()) == Colour::Left)
            .copied()
            .ok_or(Obstacle::Unsupported("a formula over symbols of both sides"))?;
        // In the conflict the literals are negated.
        let value = !left.is_positive();
        Ok(if denied {
            let constant = self.store.bool(value);
            mixed.denied_value(self.store, constant)
        } else if value {
            mixed.placeholder
        } else {
            self.store.not(mixed.placeholder)
        })
    }

    /// Equality of a left and a right word against equality of their bits.
    fn mixed_words(&mut self, e: Term, clause: &[Literal]) -> Result<Term, Obstacle> {
        let unsupported = Obstacle::Unsupported("words of both sides with bits in common");
        let mixed = self.mixed(e)?;
        let (a, b) = (self.store.arg(e, 0), self.store.arg(e, 1));
        let (left, right) = if self.colour(a) == Colour::Left { (a, b) } else { (b, a) };
        let left_bits = self.schemes.bits(self.store, left);
        let right_bits = self.schemes.bits(self.store, right);
        let bit_literal =
            |cut: &mut Self, i: usize| bolide_proof::equality_literal(cut.store, left_bits[i], right_bits[i]);
        if clause.contains(&Literal::new(e, true)) {
            // All bits are equal: the left word is put together from what its bits equal.
            let mut word: Option<Term> = None;
            for i in 0..left_bits.len() {
                let d = bit_literal(self, i);
                let bit = match self.label(d) {
                    Label::Mixed if d.is_positive() => self.mixed(d.atom())?.placeholder,
                    Label::Mixed => return Err(unsupported),
                    Label::Left => right_bits[i],
                    Label::Right | Label::Both => left_bits[i],
                };
                let (one, zero) = (self.store.bv_ones(1), self.store.bv_zero(1));
                let digit = self.store.ite(bit, one, zero);
                word = Some(match word {
                    None => digit,
                    Some(low) => self.store.bv_concat(digit, low),
                });
            }
            let mut word = word.ok_or(unsupported)?;
            if let Some(format) = self.store.float_format(self.store.sort_of(left)) {
                word = self.store.float_from_bits(format, word);
            }
            return Ok(mixed.denied_value(self.store, word));
        }
        for i in 0..left_bits.len() {
            let d = bit_literal(self, i);
            if !clause.contains(&d) {
                continue;
            }
            let word = match self.store.float_format(self.store.sort_of(left)) {
                Some(_) => self.store.float_bits(mixed.placeholder),
                None => mixed.placeholder,
            };
            let bit = self.store.bv_bit(i as u32, word);
            return Ok(match self.label(d) {
                Label::Mixed => {
                    let of_bit = self.mixed(d.atom())?;
                    if d.is_positive() {
                        of_bit.denied_value(self.store, bit)
                    } else {
                        return Err(unsupported);
                    }
                }
                Label::Left => {
                    let same = self.store.iff(bit, right_bits[i]);
                    self.store.not(same)
                }
                Label::Right | Label::Both => self.store.iff(bit, left_bits[i]),
            });
        }
        Err(unsupported)
    }
}
