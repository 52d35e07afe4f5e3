//! Terms on their way from one store to another.
//!
//! Copies of a store go on independently: what is in both of them has the same index, what one of them made has another index in the other
//! one, or none. A [`Portable`] term is written down over what the copies have in common, so that any of them can make it.

use crate::{Op, Sort, Store, Term};
use bolide_base::Rational;
use rustc_hash::FxHashMap;

/// How far a store had come: what its copies made from here on have in common.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    terms: usize,
    funcs: usize,
    sorts: usize,
}

/// A term over what copies of a store have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Portable {
    /// Its subterms, arguments first; the last one is the term itself.
    nodes: Vec<Node>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Node {
    Common(Term),
    Number(Rational, Sort),
    /// An operator with the positions of its arguments.
    Made(Op, Sort, Vec<u32>),
}

impl Portable {
    /// How many subterms are written down.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

impl Store {
    /// How far the store has come.
    pub fn mark(&self) -> Mark {
        Mark { terms: self.len(), funcs: self.num_funcs(), sorts: self.sorts.len() }
    }

    /// A term written down over what the store held at a mark; nothing if it has symbols, sorts or constants that came later.
    pub fn export(&self, mark: Mark, t: Term) -> Option<Portable> {
        let mut nodes = Vec::new();
        let mut places: FxHashMap<Term, u32> = FxHashMap::default();
        let mut open = vec![t];
        while let Some(&top) = open.last() {
            if places.contains_key(&top) {
                open.pop();
                continue;
            }
            let is_common = top.index() < mark.terms;
            let before = open.len();
            if !is_common {
                open.extend(self.args(top).iter().filter(|a| !places.contains_key(a)));
            }
            if open.len() > before {
                continue;
            }
            let node = match (self.op(top), self.sort_of(top)) {
                _ if is_common => Node::Common(top),
                (_, sort) if sort.index() >= mark.sorts => return None,
                (Op::BvConst(_) | Op::FloatConst(_), _) => return None,
                (Op::Apply(f), _) if f.index() >= mark.funcs => return None,
                (Op::Num(n), sort) => Node::Number(self.num_value(n).clone(), sort),
                (op, sort) => Node::Made(op, sort, self.args(top).iter().map(|a| places[a]).collect()),
            };
            places.insert(top, nodes.len() as u32);
            nodes.push(node);
            open.pop();
        }
        Some(Portable { nodes })
    }

    /// Makes a term that a copy of this store has written down.
    pub fn import(&mut self, portable: &Portable) -> Term {
        let mut made: Vec<Term> = Vec::with_capacity(portable.nodes.len());
        for node in &portable.nodes {
            let t = match node {
                Node::Common(t) => *t,
                Node::Number(value, sort) => self.num(value.clone(), *sort),
                Node::Made(op, sort, args) => {
                    let args: Vec<Term> = args.iter().map(|&n| made[n as usize]).collect();
                    self.make(*op, *sort, &args)
                }
            };
            made.push(t);
        }
        made.last().copied().unwrap_or(self.tru())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Model, Value};

    #[test]
    fn copies_read_what_others_have_made() {
        let mut common = Store::new();
        let int = common.int_sort();
        let (x, y) = (common.var("x", int), common.var("y", int));
        let mark = common.mark();
        let (mut a, mut b) = (common.clone(), common);
        // Indices of the two differ from here on.
        for n in 10_000..10_050 {
            let t = b.int(n);
            b.add(&[t, y]);
        }
        let (big, three) = (a.int(123_456_789), a.int(3));
        let sum = a.mul(&[three, x]);
        let sum = a.add(&[sum, y, big]);
        let (less, same) = (a.le(sum, y), a.eq(x, big));
        let fact = a.or(&[less, same]);
        let portable = a.export(mark, fact).expect("it speaks of common variables");
        let there = b.import(&portable);
        assert_eq!(b.import(&portable), there);
        for (vx, vy) in [(0, 0), (123_456_789, 5), (-123_456_789, 0), (-41_152_263, 1)] {
            let mut model = Model::new();
            model.set(a.as_var(x).expect("a variable"), Value::Num(vx.into()));
            model.set(a.as_var(y).expect("a variable"), Value::Num(vy.into()));
            let holds = |s: &Store, t: Term| Evaluator::new(s, &model).holds(t);
            assert_eq!(holds(&a, fact), holds(&b, there));
        }
        assert_eq!(a.export(mark, x).map(|p| b.import(&p)), Some(x));
    }

    #[test]
    fn what_came_later_is_not_common() {
        let mut store = Store::new();
        let int = store.int_sort();
        let x = store.var("x", int);
        let mark = store.mark();
        let (later, zero) = (store.fresh_var("later", int), store.int(0));
        let sum = store.add(&[x, later]);
        let fact = store.le(sum, zero);
        assert_eq!(store.export(mark, fact), None);
    }
}
