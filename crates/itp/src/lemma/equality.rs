//! Chains of equalities and congruences.

use super::Stand;
use crate::colour::Colour;
use crate::partial::{Cut, Obstacle};
use bolide_proof::equality_literal;
use bolide_term::{Op, Term};

/// A stretch of a path that lies on one side.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum OneSide {
    Left,
    Right,
}

impl Cut<'_, '_> {
    /// A path of equalities whose ends are said to differ.
    pub(super) fn transitivity(&mut self, path: &[Term]) -> Result<Term, Obstacle> {
        let (first, last) = (path[0], path[path.len() - 1]);
        let values = self.store.is_value(first) && self.store.is_value(last);
        let conclusion = if values {
            Stand::Right
        } else {
            let l = equality_literal(self.store, first, last);
            self.stand(l)?
        };
        let stretches = self.stretches(path)?;
        match conclusion {
            Stand::Right => {
                let left = stretches.iter().filter(|s| s.0 == OneSide::Left).copied().collect::<Vec<_>>();
                let equalities: Vec<Term> = left.iter().map(|&(_, a, b)| self.store.eq(a, b)).collect();
                Ok(self.store.and(&equalities))
            }
            Stand::Left => {
                let right = stretches.iter().filter(|s| s.0 == OneSide::Right).copied().collect::<Vec<_>>();
                let mut out = Vec::with_capacity(right.len());
                for (_, a, b) in right {
                    let e = self.store.eq(a, b);
                    out.push(self.store.not(e));
                }
                Ok(self.store.or(&out))
            }
            Stand::Mixed(mixed) => {
                let (stretches, left_end) = if self.colour(first) == Colour::Left {
                    (stretches, first)
                } else {
                    (stretches.into_iter().rev().map(|(s, a, b)| (s, b, a)).collect(), last)
                };
                // The stretch at the left end leads to the shared term that the placeholder must equal.
                let Some(&(OneSide::Left, _, value)) = stretches.first() else {
                    return Err(Obstacle::Unsupported("a chain of equalities across the cut"));
                };
                let mut out = Vec::new();
                for &(side, a, b) in &stretches[1..] {
                    if side == OneSide::Left {
                        out.push(self.store.eq(a, b));
                    }
                }
                let denied = mixed.denied(self.store, left_end, value);
                out.push(denied.ok_or(Obstacle::Unsupported("an equality that cannot be taken apart"))?);
                Ok(self.store.and(&out))
            }
        }
    }

    /// Cuts a path into maximal stretches on one side. A mixed edge is split at its placeholder.
    fn stretches(&mut self, path: &[Term]) -> Result<Vec<(OneSide, Term, Term)>, Obstacle> {
        let mut out: Vec<(OneSide, Term, Term)> = Vec::new();
        let mut add = |side: OneSide, a: Term, b: Term| match out.last_mut() {
            Some((s, _, end)) if *s == side => *end = b,
            _ => out.push((side, a, b)),
        };
        for pair in path.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let l = equality_literal(self.store, a, b);
            match self.stand(l)? {
                Stand::Left => add(OneSide::Left, a, b),
                Stand::Right => add(OneSide::Right, a, b),
                Stand::Mixed(mixed) => {
                    let a_is_left = self.colour(a) == Colour::Left;
                    let left_term = if a_is_left { a } else { b };
                    let middle = mixed.middle(self.store, left_term);
                    let middle =
                        middle.ok_or(Obstacle::Unsupported("an equality that cannot be taken apart"))?;
                    let (s, t) = if a_is_left {
                        (OneSide::Left, OneSide::Right)
                    } else {
                        (OneSide::Right, OneSide::Left)
                    };
                    add(s, a, middle);
                    add(t, middle, b);
                }
            }
        }
        Ok(out)
    }

    /// Equal arguments, but applications that are said to differ.
    pub(super) fn congruence(&mut self, f: Term, g: Term) -> Result<Term, Obstacle> {
        let pairs: Vec<(Term, Term)> =
            self.store.args(f).iter().copied().zip(self.store.args(g).iter().copied()).collect();
        let l = equality_literal(self.store, f, g);
        let conclusion = self.stand(l)?;
        match conclusion {
            Stand::Left | Stand::Right => {
                let conclusion_is_left = matches!(conclusion, Stand::Left);
                let mut out = Vec::new();
                for (a, b) in pairs {
                    if a == b {
                        continue;
                    }
                    let l = equality_literal(self.store, a, b);
                    let is_left = match self.stand(l)? {
                        Stand::Left => true,
                        Stand::Right => false,
                        Stand::Mixed(_) => {
                            return Err(Obstacle::Unsupported(
                                "a congruence within one side over a mixed equality",
                            ));
                        }
                    };
                    if is_left != conclusion_is_left {
                        out.push(if conclusion_is_left { !l } else { l }.term(self.store));
                    }
                }
                Ok(if conclusion_is_left { self.store.or(&out) } else { self.store.and(&out) })
            }
            Stand::Mixed(mixed) => {
                let f_is_left = self.colour(f) == Colour::Left;
                let left_app = if f_is_left { f } else { g };
                let mut args = Vec::with_capacity(pairs.len());
                for (a, b) in pairs {
                    let (left, right) = if f_is_left { (a, b) } else { (b, a) };
                    args.push(self.meeting_point(left, right)?);
                }
                let value = match self.store.op(left_app) {
                    Op::Apply(symbol) => self.store.apply(symbol, &args),
                    Op::Select => self.store.raw_select(args[0], args[1]),
                    _ => self.store.rebuild(left_app, &args),
                };
                let denied = mixed.denied(self.store, left_app, value);
                denied.ok_or(Obstacle::Unsupported("an equality that cannot be taken apart"))
            }
        }
    }

    /// A shared term equal to both arguments, as far as their equality is assumed.
    fn meeting_point(&mut self, left: Term, right: Term) -> Result<Term, Obstacle> {
        if left == right {
            return Ok(left);
        }
        let l = equality_literal(self.store, left, right);
        match self.stand(l)? {
            Stand::Left => Ok(right),
            Stand::Right => Ok(left),
            Stand::Mixed(mixed) => mixed
                .middle(self.store, left)
                .ok_or(Obstacle::Unsupported("an equality that cannot be taken apart")),
        }
    }
}
