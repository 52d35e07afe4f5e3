//! Models: from the values that the theories found to interpretations of the symbols.

use crate::encode::Encoder;
use crate::euf::{Euf, Node};
use bolide_term::{ArrayValue, FuncInterp, Model, Op, Sort, SortKind, Store, Term, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Encoder {
    /// The model behind the last satisfiable answer.
    pub fn model(&mut self, store: &Store) -> Model {
        let mut model = Model::new();
        self.set_constants(store, &mut model);
        let mut values = NodeValues { encoder: self, store, memo: FxHashMap::default() };
        values.assign_classes(&mut model);
        values.set_symbols(&mut model);
        model
    }

    /// Booleans, numbers and words by what the SAT solver and arithmetic say.
    fn set_constants(&mut self, store: &Store, model: &mut Model) {
        let mut words: FxHashMap<Term, bolide_term::UBig> = FxHashMap::default();
        let mut order = Vec::new();
        for n in 1..self.atoms.len() {
            let Some(t) = self.atoms[n] else { continue };
            let lit = self.lits[&t];
            match store.op(t) {
                Op::Apply(f) if store.args(t).is_empty() => {
                    let value = self.sat.value(lit) == Some(true);
                    model.set(f, Value::Bool(value));
                }
                Op::Bit(i) => {
                    let word = store.arg(t, 0);
                    let value = words.entry(word).or_insert_with(|| {
                        order.push(word);
                        bolide_term::UBig::ZERO
                    });
                    if self.sat.value(lit) == Some(true) {
                        value.set_bit(i as usize);
                    }
                }
                _ => {}
            }
        }
        for word in order {
            if let Some(f) = store.as_var(word) {
                let width = store.bv_width(store.sort_of(word)).expect("a word");
                model.set(f, Value::Bv(width, words.remove(&word).expect("a word that was met")));
            }
        }
        let theories = self.sat.theory();
        for (n, t) in self.var_terms.iter().enumerate() {
            if let Some(t) = t
                && let Some(f) = store.as_var(*t)
            {
                model.set(f, Value::Num(theories.arith.value(crate::arith::VarId::new(n))));
            }
        }
    }
}

/// Values of the nodes of the congruence closure.
struct NodeValues<'a> {
    encoder: &'a mut Encoder,
    store: &'a Store,
    /// By representative for uninterpreted sorts and arrays.
    memo: FxHashMap<Node, Value>,
}

impl NodeValues<'_> {
    fn euf(&self) -> std::cell::Ref<'_, Euf> {
        std::cell::Ref::map(self.encoder.sat.theory(), |t| &t.euf)
    }

    fn sort(&self, node: Node) -> Sort {
        self.store.sort_of(self.encoder.node_terms[node.index()])
    }

    fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.encoder.nodes.values().copied().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Values for classes of uninterpreted sorts and of arrays, arrays of simple elements first.
    fn assign_classes(&mut self, model: &mut Model) {
        let nodes = self.nodes();
        let mut counters: FxHashMap<Sort, u32> = FxHashMap::default();
        let mut arrays: Vec<(usize, Node)> = Vec::new();
        for &node in &nodes {
            let rep = self.euf().find(node);
            if rep != node {
                continue;
            }
            let sort = self.sort(rep);
            match self.store.sort_kind(sort) {
                SortKind::Uninterpreted(_) => {
                    let n = counters.entry(sort).or_insert(0);
                    self.memo.insert(rep, Value::Elem(sort, *n));
                    *n += 1;
                    // No element is without a name, so that no array has a place that nothing speaks of.
                    model.set_universe(sort, *n);
                }
                SortKind::Array(..) => arrays.push((sort_depth(self.store, sort), rep)),
                _ => {}
            }
        }
        arrays.sort_unstable();
        let components = self.encoder.sat.theory().write_components();
        for (_, rep) in arrays {
            let value = self.array_value(rep, &components, model);
            self.memo.insert(rep, Value::Array(Arc::new(value)));
        }
    }

    fn array_value(&mut self, rep: Node, components: &FxHashMap<Node, Node>, model: &Model) -> ArrayValue {
        let (index, element) = self.store.array_sorts(self.sort(rep)).expect("an array");
        let component = |n: Node| components.get(&n).copied().unwrap_or(n);
        // The default of the class itself, else of any class that writes lead to.
        let of = |same: &dyn Fn(Node) -> bool| {
            self.encoder.sat.theory().arrays.defaults.iter().copied().find(|&app| {
                let t = self.encoder.node_terms[app.index()];
                self.store.as_array_default(t).is_some_and(|a| same(self.euf().find(self.encoder.nodes[&a])))
            })
        };
        let default_node =
            of(&|class| class == rep).or_else(|| of(&|class| component(class) == component(rep)));
        let default = match default_node {
            Some(node) => self.value(node),
            None => Value::default_of(self.store, element),
        };
        let mut value = ArrayValue::constant(default);
        let reads: Vec<(Node, Node)> = {
            let theories = self.encoder.sat.theory();
            let of_class = theories.arrays.reads.iter().filter(|r| theories.euf.find(r.array) == rep);
            of_class.map(|r| (r.index, r.node)).collect()
        };
        for (at, node) in reads {
            let (i, v) = (self.value(at), self.value(node));
            value = value.store(i, v);
        }
        value.canonical(self.store, model, index)
    }

    fn value(&mut self, node: Node) -> Value {
        let rep = self.euf().find(node);
        if let Some(v) = self.memo.get(&rep) {
            return v.clone();
        }
        let sort = self.sort(node);
        match self.store.sort_kind(sort).clone() {
            SortKind::Bool => Value::Bool(self.euf().same(node, Euf::TRUE)),
            SortKind::Int | SortKind::Real => {
                Value::Num(self.encoder.value_of(self.store, self.encoder.node_terms[node.index()]))
            }
            SortKind::BitVec(width) => self.word_value(node, width),
            SortKind::Array(..) | SortKind::Uninterpreted(_) => Value::default_of(self.store, sort),
        }
    }

    fn word_value(&mut self, node: Node, width: u32) -> Value {
        let bits = {
            let theories = self.encoder.sat.theory();
            let shared =
                theories.sharing.by_node.get(&node).map(|&n| theories.sharing.terms[n].value.clone());
            match shared {
                Some(crate::theories::SharedValue::Bits(bits)) => bits,
                _ => Vec::new(),
            }
        };
        let mut value = bolide_term::UBig::ZERO;
        for (i, &bit) in bits.iter().enumerate() {
            if self.encoder.sat.value(bit) == Some(true) {
                value.set_bit(i);
            }
        }
        Value::Bv(width, value)
    }

    /// Interpretations of constants of uninterpreted and array sorts, and of functions.
    fn set_symbols(&mut self, model: &mut Model) {
        let mut interps: FxHashMap<bolide_term::Func, FuncInterp> = FxHashMap::default();
        let mut order = Vec::new();
        for node in self.nodes() {
            let t = self.encoder.node_terms[node.index()];
            let Op::Apply(f) = self.store.op(t) else { continue };
            if self.store.args(t).is_empty() {
                let kind = self.store.sort_kind(self.store.sort_of(t));
                if matches!(kind, SortKind::Uninterpreted(_) | SortKind::Array(..)) {
                    let value = self.value(node);
                    model.set(f, value);
                }
                continue;
            }
            let args: Vec<Node> = self.store.args(t).iter().map(|a| self.encoder.nodes[a]).collect();
            let args = args.into_iter().map(|a| self.value(a)).collect();
            let value = self.value(node);
            let interp = interps.entry(f).or_insert_with(|| {
                order.push(f);
                FuncInterp::new(Value::default_of(self.store, self.store.decl(f).result))
            });
            interp.insert(args, value);
        }
        for f in order {
            model.set_func(f, interps.remove(&f).expect("an interpretation that was made"));
        }
    }
}

/// How deep the element sorts of an array sort nest.
fn sort_depth(store: &Store, sort: Sort) -> usize {
    let (mut depth, mut todo) = (0, vec![(sort, 0)]);
    while let Some((s, d)) = todo.pop() {
        depth = depth.max(d);
        if let Some((i, e)) = store.array_sorts(s) {
            todo.push((i, d + 1));
            todo.push((e, d + 1));
        }
    }
    depth
}
