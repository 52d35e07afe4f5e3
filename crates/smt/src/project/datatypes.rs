//! Elimination of constants of datatypes from a conjunction of literals.
//!
//! An equation with an application of a constructor says what the fields of its other side are, so that what stands in it
//! can be solved for. A constant whose fields are looked at becomes an application of the constructor that it has in the
//! model. One that only differs from some terms has a value that does, if its sort has infinitely many.

use super::Projector;
use bolide_term::{Op, Term};

impl Projector<'_> {
    /// Eliminates the constants of datatypes that must disappear, as far as they do not stand in arrays or functions.
    pub(super) fn eliminate_datatypes(&mut self) -> Option<()> {
        let has_data = |p: &Self| p.order.iter().any(|&v| p.store.datatype(p.store.sort_of(v)).is_some());
        if !has_data(self) && !self.literals.iter().any(|&l| self.is_construction(l)) {
            return Some(());
        }
        self.take_apart()?;
        let mut n = 0;
        while n < self.order.len() {
            let v = self.order[n];
            n += 1;
            let sort = self.store.sort_of(v);
            if self.store.datatype(sort).is_none() || !self.occurs(v) {
                continue;
            }
            if self.is_looked_at(v) {
                let value = self.value(v)?;
                let data = value.as_data()?;
                let constructor = data.constructor();
                let sorts: Vec<_> =
                    self.store.constructor(sort, constructor).fields.iter().map(|f| f.sort).collect();
                let mut fields = Vec::with_capacity(sorts.len());
                for (sort, value) in sorts.into_iter().zip(data.fields()) {
                    fields.push(self.fresh(sort, value.clone())?);
                }
                let whole = self.store.construct(sort, constructor, &fields);
                self.substitute(v, whole);
                self.take_apart()?;
            } else if self.store.is_infinite(sort) {
                self.drop_disequalities(v);
            }
        }
        Some(())
    }

    fn occurs(&mut self, v: Term) -> bool {
        (0..self.literals.len()).any(|n| self.mentions(self.literals[n], v))
    }

    /// Does a literal ask for a field or for the constructor of a constant?
    fn is_looked_at(&mut self, v: Term) -> bool {
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            if !self.mentions(l, v) {
                continue;
            }
            let looks = |t: Term| {
                matches!(self.store.op(t), Op::Field { .. } | Op::Is(_)) && self.store.arg(t, 0) == v
            };
            if self.store.post_order([l]).any(looks) {
                return true;
            }
        }
        false
    }

    /// Forgets that a constant differs from some terms, if that is all that is said about it.
    fn drop_disequalities(&mut self, v: Term) {
        let mut said = Vec::new();
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            if !self.mentions(l, v) {
                continue;
            }
            let (atom, positive) = self.store.literal(l);
            if positive || self.store.op(atom) != Op::Eq {
                return;
            }
            let (a, b) = (self.store.arg(atom, 0), self.store.arg(atom, 1));
            let other = if a == v { b } else { a };
            if (a != v && b != v) || self.mentions(other, v) {
                return;
            }
            said.push(l);
        }
        self.literals.retain(|l| !said.contains(l));
    }

    /// Is this an equation, or a denied one, between an application of a constructor and something else?
    fn is_construction(&self, l: Term) -> bool {
        let (atom, _) = self.store.literal(l);
        let is_construct = |&a: &Term| matches!(self.store.op(a), Op::Construct(_));
        self.store.op(atom) == Op::Eq && self.store.args(atom).iter().any(is_construct)
    }

    /// Takes equations with constructors apart, and solves for what they then speak of.
    fn take_apart(&mut self) -> Option<()> {
        loop {
            self.settle()?;
            self.solve_equations()?;
            let Some((n, constructor, whole, t)) = self.construction() else { return Some(()) };
            let (_, positive) = self.store.literal(self.literals[n]);
            self.literals.swap_remove(n);
            let fields = self.store.args(whole).to_vec();
            let made = self.store.is_constructor(constructor, t);
            if positive {
                self.literals.push(made);
                for (i, a) in fields.into_iter().enumerate() {
                    let field = self.store.field(constructor, i as u32, t);
                    let equal = self.store.eq(field, a);
                    self.literals.push(equal);
                }
            } else if self.value(made)?.as_bool()? {
                // The terms differ in a field.
                let mut differs = None;
                for (i, &a) in fields.iter().enumerate() {
                    let field = self.store.field(constructor, i as u32, t);
                    if self.value(field)? != self.value(a)? {
                        differs = Some(self.store.eq(field, a));
                        break;
                    }
                }
                let differs = self.store.not(differs?);
                self.literals.extend([made, differs]);
            } else {
                let other = self.store.not(made);
                self.literals.push(other);
            }
            self.tidy();
        }
    }

    /// A literal about an application of a constructor in which something must disappear, and another term.
    fn construction(&mut self) -> Option<(usize, u32, Term, Term)> {
        for n in 0..self.literals.len() {
            let l = self.literals[n];
            if !self.is_construction(l) || self.gone_in(l).is_empty() {
                continue;
            }
            let (atom, _) = self.store.literal(l);
            let (a, b) = (self.store.arg(atom, 0), self.store.arg(atom, 1));
            for (whole, t) in [(a, b), (b, a)] {
                if let Op::Construct(c) = self.store.op(whole)
                    && !self.gone_in(whole).is_empty()
                {
                    return Some((n, c, whole, t));
                }
            }
        }
        None
    }

    /// Substitution may have taken equations of constructors apart: narrows what is no literal any more.
    pub(super) fn settle(&mut self) -> Option<()> {
        let is_junction = |t: Term| {
            let (atom, _) = self.store.literal(t);
            let of_bools = |a: Term| self.store.sort_of(a) == bolide_term::Sort::BOOL;
            match self.store.op(atom) {
                Op::And | Op::Or => true,
                Op::Ite | Op::Eq => of_bools(self.store.arg(atom, 1)),
                _ => false,
            }
        };
        let (junctions, literals): (Vec<Term>, Vec<Term>) =
            self.literals.iter().partition(|&&l| is_junction(l));
        self.literals = literals;
        if junctions.is_empty() { Some(()) } else { self.narrow(&junctions) }
    }
}
