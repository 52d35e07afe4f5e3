//! Nodes of the congruence closure.

use super::{Encoder, Work};
use crate::euf::{self, Func, Node};
use crate::theories::{
    Constant, Construct, DataTerm, FIRST_FREE_FUNC, Indices, SELECT, STORE, SharedValue, Tester,
};
use bolide_proof::Axiom;
use bolide_sat::Lit;
use bolide_term::{Op, Sort, SortKind, Store, Term};

impl Encoder {
    /// The node of a term. Applications, quotients and remainders by variables, reads, writes and constant arrays have their arguments as children; any
    /// other term is a leaf to the congruence closure.
    pub fn node(&mut self, store: &mut Store, root: Term) -> Node {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.nodes.contains_key(&t) {
                stack.pop();
                continue;
            }
            if is_application(store, t) {
                let before = stack.len();
                let children = self.children(store, t);
                stack.extend(children.iter().filter(|a| !self.nodes.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
                self.make_application(store, t);
            } else {
                self.make_leaf(store, t);
            }
            stack.pop();
        }
        self.nodes[&root]
    }

    fn remember(&mut self, store: &Store, t: Term, node: Node) {
        debug_assert_eq!(node.index(), self.node_terms.len());
        let sort = store.sort_of(t);
        let finite_data = store.datatype(sort).is_some() && !store.is_infinite(sort);
        if finite_data || matches!(store.sort_kind(sort), SortKind::Uninterpreted(_)) {
            self.sat.theory_mut().arrays.free_terms.entry(sort).or_default().push((t, node));
        }
        if let Some(datatype) = store.datatype(sort) {
            let single = datatype.constructors.len() == 1;
            let finite = !store.is_infinite(sort);
            let mut theories = self.sat.theory_mut();
            theories.datatypes.terms.push(DataTerm { term: t, node, single, finite });
            if let Op::Construct(constructor) = store.op(t) {
                let is_data = |&(_, a): &(usize, &Term)| store.datatype(store.sort_of(*a)).is_some();
                let parts = store.args(t).iter().enumerate().filter(is_data);
                let parts = parts.map(|(i, a)| (i as u32, self.nodes[a])).collect();
                theories.datatypes.constructs.push(Construct { term: t, node, constructor, parts });
                drop(theories);
                self.work.push(Work::Axiom(Axiom::Constructor(t)));
            }
        }
        self.nodes.insert(t, node);
        self.node_terms.push(t);
        if let Some(purity) = &mut self.purity {
            let parts = purity.parts(store, t);
            let derived = self.fulfilling && !store.is_value(t);
            let mut theories = self.sat.theory_mut();
            theories.arrays.node_term.push(t);
            theories.arrays.derived.push(derived);
            theories.node_parts.get_or_insert_default().push(parts);
        }
    }

    fn make_leaf(&mut self, store: &Store, t: Term) {
        let node = self.sat.theory_mut().euf.new_node();
        self.remember(store, t, node);
        if store.is_value(t) {
            self.sat.theory_mut().euf.mark_value(node, euf::Value(t.index() as u64));
        }
        match store.sort_kind(store.sort_of(t)) {
            SortKind::Bool => self.work.push(Work::TiePredicate(t)),
            SortKind::Int | SortKind::Real | SortKind::BitVec(_) | SortKind::Float(_) => {
                self.work.push(Work::Share(t));
            }
            SortKind::Array(..) | SortKind::Uninterpreted(_) | SortKind::Datatype(_) => {
                if store.op(t) == Op::Ite {
                    self.sat.theory_mut().arrays.choices.insert(node);
                    self.work.push(Work::Axiom(Axiom::Choice(t)));
                }
            }
        }
    }

    /// The arguments that the congruence closure knows. What is written is left out where no proof is wanted: most
    /// of it is never read, and the axioms about reads bring it when it is.
    fn children<'s>(&self, store: &'s Store, t: Term) -> &'s [Term] {
        let args = store.args(t);
        let is_late = store.op(t) == Op::Store
            && self.inputs.is_none()
            && !matches!(store.sort_kind(store.sort_of(args[2])), SortKind::Array(..));
        if is_late { &args[..2] } else { args }
    }

    fn make_application(&mut self, store: &mut Store, t: Term) {
        let args: Vec<Node> = self.children(store, t).iter().map(|a| self.nodes[a]).collect();
        let is_late = args.len() < store.args(t).len();
        let func = self.func(store, t);
        let node = match is_late {
            true => self.sat.theory_mut().euf.new_node(),
            false => self.sat.theory_mut().euf.new_app(func, &args),
        };
        self.remember(store, t, node);
        let mut theories = self.sat.theory_mut();
        match store.op(t) {
            Op::Select => {
                let (array, index) = (args[0], args[1]);
                let index_term = store.arg(t, 1);
                theories.arrays.reads.push(crate::theories::Read { node, array, index, index_term });
                theories.sharing.apps.push(node);
            }
            Op::Store => {
                let (array, index) = (args[0], args[1]);
                let (array_term, index_term) = (store.arg(t, 0), store.arg(t, 1));
                let write = crate::theories::Write { term: t, node, array, array_term, index, index_term };
                let n = theories.arrays.writes.len();
                theories.arrays.write_of.insert(node, n);
                theories.arrays.writes.push(write);
            }
            Op::Field { .. } => {
                theories.datatypes.inspected.push(args[0]);
                theories.sharing.apps.push(node);
            }
            Op::Is(constructor) => {
                let of = store.arg(t, 0);
                theories.datatypes.testers.push(Tester { node, of, of_node: args[0], constructor });
            }
            Op::ConstArray => {
                let (index, _) = store.array_sorts(store.sort_of(t)).expect("an array term");
                let indices = match store.sort_kind(index) {
                    SortKind::Bool => Indices::Words(1),
                    SortKind::BitVec(w) => Indices::Words(*w),
                    SortKind::Float(format) => Indices::Floats(*format),
                    SortKind::Uninterpreted(_) => Indices::Free(index),
                    SortKind::Datatype(_) if !store.is_infinite(index) => Indices::Free(index),
                    _ => Indices::Infinite,
                };
                theories.arrays.constants.push(Constant { term: t, node, element: args[0], indices });
            }
            _ if store.as_array_default(t).is_some() => theories.arrays.defaults.push(node),
            // Witnesses need not be a function of the arrays.
            _ if store.is_array_diff(t) => {}
            _ => theories.sharing.apps.push(node),
        }
        drop(theories);
        if !store.is_array_diff(t) && store.as_array_default(t).is_none() {
            self.share_array_arguments(store, t);
        }
        match store.op(t) {
            Op::Store => {
                if !is_late {
                    let read = store.raw_select(t, store.arg(t, 1));
                    self.work.push(Work::Axiom(Axiom::ReadOverWrite(read)));
                }
                if self.default_sorts.contains(&store.sort_of(t)) {
                    let default = store.array_default(t);
                    self.work.push(Work::Axiom(Axiom::ArrayDefault(default)));
                }
            }
            Op::ConstArray => self.meet_constant_array(store, t),
            _ => {}
        }
        match store.sort_kind(store.sort_of(t)) {
            SortKind::Bool if !self.lits.contains_key(&t) => self.work.push(Work::TiePredicate(t)),
            SortKind::Int | SortKind::Real | SortKind::BitVec(_) | SortKind::Float(_) => {
                self.work.push(Work::Share(t));
            }
            _ => {}
        }
    }

    /// Arrays as arguments of functions or as elements may have to be told apart by what they hold.
    fn share_array_arguments(&mut self, store: &Store, t: Term) {
        let base = match store.op(t) {
            Op::Select | Op::Store => 1,
            _ => 0,
        };
        for &a in &self.children(store, t)[base..] {
            let node = self.nodes[&a];
            let mut theories = self.sat.theory_mut();
            if let SortKind::Array(..) = store.sort_kind(store.sort_of(a))
                && !theories.sharing.by_node.contains_key(&node)
            {
                theories.sharing.add(a, node, SharedValue::Array);
            }
        }
    }

    fn func(&mut self, store: &Store, t: Term) -> Func {
        match store.op(t) {
            Op::Select => SELECT,
            Op::Store => STORE,
            op => {
                let next = FIRST_FREE_FUNC + self.funcs.len() as u32;
                *self.funcs.entry((op, store.sort_of(t))).or_insert(Func(next))
            }
        }
    }

    /// From the first constant array of a sort on, all writes of that sort speak of their default element.
    fn meet_constant_array(&mut self, store: &mut Store, t: Term) {
        let sort = store.sort_of(t);
        let default = store.array_default(t);
        self.work.push(Work::Axiom(Axiom::ArrayDefault(default)));
        if self.default_sorts.insert(sort) {
            let writes: Vec<Term> = self.sat.theory().arrays.writes.iter().map(|w| w.term).collect();
            for w in writes {
                if store.sort_of(w) == sort {
                    let default = store.array_default(w);
                    self.work.push(Work::Axiom(Axiom::ArrayDefault(default)));
                }
            }
        }
    }

    /// Tells the sharing where the value of a number or word comes from.
    pub(super) fn share(&mut self, store: &mut Store, t: Term) {
        let node = self.nodes[&t];
        if self.sat.theory().sharing.by_node.contains_key(&node) {
            return;
        }
        let sort = store.sort_of(t);
        let value = if let Some(n) = store.as_num(t) {
            SharedValue::Constant(n.clone())
        } else if sort == Sort::INT || sort == Sort::REAL {
            let linear = self.expression(store, t);
            if linear.is_constant() {
                SharedValue::Constant(linear.constant)
            } else {
                let (scale, var) = self.row(store, &linear);
                SharedValue::Arith(scale, var, linear.constant)
            }
        } else {
            let bits = self.schemes.bits(store, t);
            let mut lits: Vec<Lit> = Vec::with_capacity(bits.len());
            for b in bits {
                let lit = self.lit(store, b);
                self.sat.observe(lit);
                lits.push(lit);
            }
            SharedValue::Bits(lits)
        };
        self.sat.theory_mut().sharing.add(t, node, value);
    }
}

/// Does the congruence closure look inside this term?
fn is_application(store: &Store, t: Term) -> bool {
    match store.op(t) {
        Op::Apply(_) => !store.args(t).is_empty(),
        Op::Select | Op::Store | Op::ConstArray | Op::Field { .. } | Op::Is(_) => true,
        Op::Construct(_) => !store.args(t).is_empty(),
        // By a numeral it is a matter of arithmetic alone.
        Op::Div | Op::Mod => store.as_num(store.arg(t, 1)).is_none(),
        _ => false,
    }
}
