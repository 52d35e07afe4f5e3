//! Models: from the values that the theories found to interpretations of the symbols.

use crate::encode::Encoder;
use crate::euf::{Euf, Node};
use bolide_term::{
    ArrayValue, DataValue, FloatOp, FuncInterp, Model, Op, Sort, SortKind, Store, Term, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
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
            // The bits of a number stand for it.
            let of = if let Op::Float(FloatOp::Bits) = store.op(word) { store.arg(word, 0) } else { word };
            if let Some(f) = store.as_var(of) {
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

/// How often values of free classes are chosen small. Later ones are so far apart that what constructors make of them
/// differs.
const SMALL_VALUES: usize = 8;

/// What the values of classes depend on.
struct Classes {
    /// See [`Theories::write_components`](crate::theories::Theories::write_components).
    components: FxHashMap<Node, Node>,
    /// See [`Datatypes::construct_of_class`](crate::theories::Datatypes::construct_of_class).
    made: FxHashMap<Node, usize>,
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

    /// Values for classes of uninterpreted sorts, of arrays and of datatypes.
    fn assign_classes(&mut self, model: &mut Model) {
        let nodes = self.nodes();
        let mut counters: FxHashMap<Sort, u32> = FxHashMap::default();
        let (mut composite, mut free) = (Vec::new(), Vec::new());
        let made = {
            let theories = self.encoder.sat.theory();
            theories.datatypes.construct_of_class(&theories.euf)
        };
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
                SortKind::Array(..) => composite.push(rep),
                SortKind::Datatype(_) if made.contains_key(&rep) => composite.push(rep),
                SortKind::Datatype(_) => free.push(rep),
                _ => {}
            }
        }
        let classes = Classes { components: self.encoder.sat.theory().write_components(), made };
        let simple = self.memo.clone();
        // What nothing is known of gets a value that nothing else has; small ones are tried first.
        let attempts = SMALL_VALUES + composite.len() + 2;
        for attempt in 0..attempts {
            let mut next: FxHashMap<Sort, usize> = FxHashMap::default();
            for (place, &rep) in free.iter().enumerate() {
                let sort = self.sort(rep);
                let n = next.entry(sort).or_insert(0);
                // The distance grows, so that a constructor around one value does not make the next one each time.
                let number = match attempt {
                    0 => *n,
                    1..SMALL_VALUES => attempt * (place + 1),
                    _ => (composite.len() + attempt) * (place + 1),
                };
                *n += 1;
                self.memo.insert(rep, Value::nth(self.store, sort, number));
            }
            composite.iter().for_each(|&rep| self.assign_composite(rep, &classes, model));
            if free.is_empty() || self.are_distinct(&free, &composite) {
                return;
            }
            if attempt + 1 < attempts {
                self.memo.clone_from(&simple);
            }
        }
    }

    /// Has each free class a value of its own, and so each class that depends on it?
    fn are_distinct(&self, free: &[Node], composite: &[Node]) -> bool {
        let mut seen = FxHashSet::default();
        let data = |rep: &&Node| matches!(self.memo.get(rep), Some(Value::Data(_)));
        free.iter().chain(composite).filter(data).all(|rep| seen.insert(&self.memo[rep]))
    }

    /// The value of an array, or of a class that a constructor made, after what it depends on.
    fn assign_composite(&mut self, root: Node, classes: &Classes, model: &Model) {
        let mut stack = vec![(root, false)];
        let mut open = FxHashSet::default();
        while let Some((rep, ready)) = stack.pop() {
            if self.memo.contains_key(&rep) {
                continue;
            }
            // Something that depends on itself has no value that fits; any will do, and the model is rejected.
            if !ready && open.insert(rep) {
                stack.push((rep, true));
                let needed = self.dependencies(rep, classes);
                stack.extend(needed.into_iter().filter(|n| !self.memo.contains_key(n)).map(|n| (n, false)));
                continue;
            }
            if !ready {
                continue;
            }
            let value = match classes.made.get(&rep) {
                Some(&n) => self.data_value(n),
                None => Value::Array(Arc::new(self.array_value(rep, &classes.components, model))),
            };
            self.memo.insert(rep, value);
        }
    }

    /// The classes of arrays and datatypes whose values the value of a class is made of.
    fn dependencies(&self, rep: Node, classes: &Classes) -> Vec<Node> {
        let theories = self.encoder.sat.theory();
        let nodes: Vec<Node> = match classes.made.get(&rep) {
            Some(&n) => {
                let construct = theories.datatypes.constructs[n].term;
                self.store.args(construct).iter().map(|a| self.encoder.nodes[a]).collect()
            }
            None => {
                let of_class = theories.arrays.reads.iter().filter(|r| theories.euf.find(r.array) == rep);
                let defaults = theories.arrays.defaults.iter().copied();
                of_class.flat_map(|r| [r.index, r.node]).chain(defaults).collect()
            }
        };
        let of_array = self.store.array_sorts(self.sort(rep));
        let is_composite = |n: &Node| {
            let sort = self.sort(*n);
            let fits = of_array.is_none_or(|(index, element)| sort == index || sort == element);
            fits && matches!(self.store.sort_kind(sort), SortKind::Array(..) | SortKind::Datatype(_))
        };
        nodes.into_iter().map(|n| theories.euf.find(n)).filter(is_composite).collect()
    }

    /// The value that a constructor makes of the values of its arguments.
    fn data_value(&mut self, construct: usize) -> Value {
        let (term, constructor) = {
            let theories = self.encoder.sat.theory();
            let c = &theories.datatypes.constructs[construct];
            (c.term, c.constructor)
        };
        let args: Vec<Node> = self.store.args(term).iter().map(|a| self.encoder.nodes[a]).collect();
        let fields = args.into_iter().map(|a| self.value(a)).collect();
        Value::Data(Arc::new(DataValue::new(self.store.sort_of(term), constructor, fields)))
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
            SortKind::Float(format) => self.word_value(node, format.width()),
            SortKind::Array(..) | SortKind::Uninterpreted(_) | SortKind::Datatype(_) => {
                Value::default_of(self.store, sort)
            }
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
            let f = match self.store.op(t) {
                Op::Apply(f) => f,
                // What a selector gives for values of other constructors; for those of its own nobody asks.
                Op::Field { constructor, field } => {
                    let whole = self.store.sort_of(self.store.arg(t, 0));
                    self.store.constructor(whole, constructor).fields[field as usize].otherwise
                }
                _ => continue,
            };
            if self.store.args(t).is_empty() {
                let kind = self.store.sort_kind(self.store.sort_of(t));
                if matches!(kind, SortKind::Uninterpreted(_) | SortKind::Array(..) | SortKind::Datatype(_)) {
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
