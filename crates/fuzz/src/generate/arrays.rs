//! Reads, chains of writes, constant arrays.

use super::Maker;
use crate::syntax::{Expr, Ty};

impl Maker {
    /// A read of an array with elements of this sort, if there is one.
    pub(super) fn read(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let fits = |t: &&Ty| matches!(t, Ty::Array(_, e) if **e == *ty);
        let fitting: Vec<&Ty> = self.array_sorts.iter().filter(fits).collect();
        let sort = self.rng.choose(&fitting).map(|&t| t.clone())?;
        let Ty::Array(index, _) = &sort else { return None };
        let (a, i) = (self.term(&sort, depth), self.term(index, depth.min(1)));
        Some(Expr::new(ty.clone(), "select", vec![a, i]))
    }

    pub(super) fn array_term(&mut self, ty: &Ty, depth: usize) -> Expr {
        let Ty::Array(index, element) = ty else { return self.leaf(ty) };
        match self.rng.below(10) {
            0 => {
                let v = self.term(element, depth.min(1));
                Expr::new(ty.clone(), format!("(as const {ty})"), vec![v])
            }
            1..=6 => {
                let mut a = self.term(ty, depth);
                for _ in 0..1 + self.rng.below(3) {
                    let (i, v) = (self.term(index, depth.min(1)), self.term(element, depth.min(1)));
                    a = Expr::new(ty.clone(), "store", vec![a, i, v]);
                }
                a
            }
            _ => self.leaf(ty),
        }
    }
}
