//! Values, interpretations of symbols, and models.

use crate::{DataValue, Func, Sort, SortKind, Store, Term};
use bolide_base::Rational;
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A value of some sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An Int or Real.
    Num(Rational),
    /// A bit-vector: width and value below `2^width`. A floating-point number: its bits, the canonical ones for NaN.
    Bv(u32, UBig),
    /// An array.
    Array(Arc<ArrayValue>),
    /// The n-th element of an uninterpreted sort.
    Elem(Sort, u32),
    /// A value of a datatype.
    Data(Arc<DataValue>),
}

/// An array that differs from a default in finitely many places.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayValue {
    /// The value at every index not listed.
    pub default: Value,
    /// Exceptions in order of [`Value::order`], none equal to the default.
    pub entries: Vec<(Value, Value)>,
}

impl ArrayValue {
    /// The array that holds one value everywhere.
    pub fn constant(default: Value) -> ArrayValue {
        ArrayValue { default, entries: Vec::new() }
    }

    /// The only way to write this array if its indices are of this sort in this model.
    ///
    /// Where indices are so few that the exceptions might outnumber the rest, another default may do as well: the
    /// most frequent element is taken, the first of these in order.
    pub fn canonical(self, store: &Store, model: &Model, index: Sort) -> ArrayValue {
        if self.entries.is_empty() {
            return self;
        }
        let Some(domain) = Value::domain(store, model, index, 2 * self.entries.len()) else { return self };
        let mut elements: Vec<&Value> = domain.iter().map(|i| self.select(i)).collect();
        elements.sort_by(|v, w| v.order(w));
        let mut best = (0, elements[0]);
        for run in elements.chunk_by(|v, w| v == w) {
            if run.len() > best.0 {
                best = (run.len(), run[0]);
            }
        }
        let default = best.1.clone();
        let entry = |i: Value| {
            let v = self.select(&i).clone();
            (v != default).then_some((i, v))
        };
        let mut entries: Vec<(Value, Value)> = domain.into_iter().filter_map(entry).collect();
        entries.sort_by(|(i, _), (j, _)| i.order(j));
        ArrayValue { default, entries }
    }

    fn position(&self, index: &Value) -> Result<usize, usize> {
        self.entries.binary_search_by(|(i, _)| i.order(index))
    }

    /// The value at an index.
    pub fn select(&self, index: &Value) -> &Value {
        match self.position(index) {
            Ok(n) => &self.entries[n].1,
            Err(_) => &self.default,
        }
    }

    /// The array with one place changed.
    pub fn store(&self, index: Value, value: Value) -> ArrayValue {
        let mut new = self.clone();
        match (new.position(&index), value == new.default) {
            (Ok(n), true) => {
                new.entries.remove(n);
            }
            (Ok(n), false) => new.entries[n].1 = value,
            (Err(_), true) => {}
            (Err(n), false) => new.entries.insert(n, (index, value)),
        }
        new
    }
}

impl Value {
    /// A total order on the values of one sort (and, arbitrarily, between sorts).
    pub fn order(&self, other: &Value) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        // Array values nest only as deep as their sort does.
        fn rank(v: &Value) -> u8 {
            match v {
                Value::Bool(_) => 0,
                Value::Num(_) => 1,
                Value::Bv(..) => 2,
                Value::Array(_) => 3,
                Value::Elem(..) => 4,
                Value::Data(_) => 5,
            }
        }
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Num(a), Value::Num(b)) => a.cmp(b),
            (Value::Bv(v, a), Value::Bv(w, b)) => v.cmp(w).then_with(|| a.cmp(b)),
            (Value::Elem(s, a), Value::Elem(t, b)) => (s, a).cmp(&(t, b)),
            (Value::Data(a), Value::Data(b)) => a.order(b),
            (Value::Array(a), Value::Array(b)) => {
                let mut order = a.default.order(&b.default);
                for ((i, v), (j, w)) in a.entries.iter().zip(&b.entries) {
                    order = order.then_with(|| i.order(j)).then_with(|| v.order(w));
                    if order != Ordering::Equal {
                        return order;
                    }
                }
                order.then(a.entries.len().cmp(&b.entries.len()))
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_num(&self) -> Option<&Rational> {
        match self {
            Value::Num(n) => Some(n),
            _ => None,
        }
    }

    /// The value of a datatype, if it is one.
    pub fn as_data(&self) -> Option<&DataValue> {
        match self {
            Value::Data(d) => Some(d),
            _ => None,
        }
    }

    /// All values of a sort in a model, if there are at most so many.
    pub fn domain(store: &Store, model: &Model, sort: Sort, limit: usize) -> Option<Vec<Value>> {
        // Sorts nest only as deep as they were declared, one level per array constructor.
        match store.sort_kind(sort) {
            SortKind::Bool if limit >= 2 => Some(vec![Value::Bool(false), Value::Bool(true)]),
            SortKind::BitVec(w) if *w < usize::BITS && 1 << *w <= limit => {
                Some((0..1usize << *w).map(|n| Value::Bv(*w, UBig::from(n))).collect())
            }
            SortKind::Float(f) if f.width() < usize::BITS && 1 << f.width() <= 2 * limit => {
                let all = (0..1usize << f.width()).map(UBig::from);
                let numbers = all.filter(|b| f.canonical(b.clone()) == *b);
                let out: Vec<Value> = numbers.map(|b| Value::Bv(f.width(), b)).collect();
                (out.len() <= limit).then_some(out)
            }
            SortKind::Uninterpreted(_) => {
                let size = model.universe(sort)?;
                (size as usize <= limit).then(|| (0..size).map(|n| Value::Elem(sort, n)).collect())
            }
            SortKind::Array(i, e) => {
                let elements = Value::domain(store, model, *e, limit)?;
                let indices = Value::domain(store, model, *i, limit)?;
                let mut out = vec![Vec::new()];
                for _ in &indices {
                    if out.len() * elements.len() > limit {
                        return None;
                    }
                    let longer = |row: &Vec<Value>| {
                        let row = row.clone();
                        elements.iter().map(move |v| {
                            let mut row = row.clone();
                            row.push(v.clone());
                            row
                        })
                    };
                    out = out.iter().flat_map(longer).collect::<Vec<_>>();
                }
                let array = |row: Vec<Value>| {
                    let mut a = ArrayValue::constant(elements[0].clone());
                    for (i, v) in indices.iter().zip(row) {
                        a = a.store(i.clone(), v);
                    }
                    Value::Array(Arc::new(a.canonical(store, model, *i)))
                };
                Some(out.into_iter().map(array).collect())
            }
            SortKind::Datatype(_) if !store.is_infinite(sort) => {
                let mut out = Vec::new();
                for (n, c) in store.datatype(sort)?.constructors.iter().enumerate() {
                    let mut rows = vec![Vec::new()];
                    for field in &c.fields {
                        let values = Value::domain(store, model, field.sort, limit)?;
                        if out.len() + rows.len() * values.len() > limit {
                            return None;
                        }
                        let longer = |row: &Vec<Value>| {
                            let row = row.clone();
                            values.iter().map(move |v| row.iter().chain([v]).cloned().collect::<Vec<Value>>())
                        };
                        rows = rows.iter().flat_map(longer).collect();
                    }
                    let data = |row| Value::Data(Arc::new(DataValue::new(sort, n as u32, row)));
                    out.extend(rows.into_iter().map(data));
                }
                (out.len() <= limit).then_some(out)
            }
            _ => None,
        }
    }

    /// Some value of a sort: false, zero, constant arrays of those, the first element.
    pub fn default_of(store: &Store, sort: Sort) -> Value {
        // Sorts nest only as deep as they were declared, one level per array constructor.
        match store.sort_kind(sort) {
            SortKind::Bool => Value::Bool(false),
            SortKind::Int | SortKind::Real => Value::Num(Rational::ZERO),
            SortKind::BitVec(w) => Value::Bv(*w, UBig::ZERO),
            SortKind::Float(f) => Value::Bv(f.width(), UBig::ZERO),
            SortKind::Array(_, e) => {
                Value::Array(Arc::new(ArrayValue::constant(Value::default_of(store, *e))))
            }
            SortKind::Uninterpreted(_) => Value::Elem(sort, 0),
            SortKind::Datatype(_) => store.datatype_default(sort).expect("a defined datatype").clone(),
        }
    }

    /// The term that denotes this value; an element of an uninterpreted sort becomes a constant named
    /// after it.
    pub fn to_term(&self, store: &mut Store, sort: Sort) -> Term {
        match self {
            Value::Bool(b) => store.bool(*b),
            Value::Num(n) => store.num(n.clone(), sort),
            Value::Bv(w, v) => match store.float_format(sort) {
                Some(format) => store.float_const(format, v.clone()),
                None => store.bv_const(*w, v.clone()),
            },
            Value::Array(a) => {
                let (index, element) = store.array_sorts(sort).expect("an array sort");
                let default = a.default.to_term(store, element);
                let mut t = store.const_array(sort, default);
                for (i, v) in &a.entries {
                    let (i, v) = (i.to_term(store, index), v.to_term(store, element));
                    t = store.store(t, i, v);
                }
                t
            }
            Value::Data(d) => data_term(d, store),
            Value::Elem(s, n) => {
                let name = match store.sort_kind(*s) {
                    SortKind::Uninterpreted(name) => format!("{name}!val!{n}"),
                    _ => format!("val!{n}"),
                };
                store.var(&name, *s)
            }
        }
    }
}

/// The term of a value of a datatype.
fn data_term(value: &Arc<DataValue>, store: &mut Store) -> Term {
    let mut memo: FxHashMap<*const DataValue, Term> = FxHashMap::default();
    let mut stack = vec![value];
    while let Some(&top) = stack.last() {
        let nested = top.fields().iter().filter_map(|f| match f {
            Value::Data(d) if !memo.contains_key(&Arc::as_ptr(d)) => Some(d),
            _ => None,
        });
        let before = stack.len();
        stack.extend(nested);
        if stack.len() > before {
            continue;
        }
        let fields: Vec<Term> = (0..top.fields().len())
            .map(|i| match &top.fields()[i] {
                Value::Data(d) => memo[&Arc::as_ptr(d)],
                other => {
                    let sort = store.constructor(top.sort(), top.constructor()).fields[i].sort;
                    other.to_term(store, sort)
                }
            })
            .collect();
        let term = store.construct(top.sort(), top.constructor(), &fields);
        memo.insert(Arc::as_ptr(top), term);
        stack.pop();
    }
    memo[&Arc::as_ptr(value)]
}

/// The interpretation of one symbol: finitely many cases and a default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FuncInterp {
    /// Argument tuples with their results, in the order in which they were found.
    pub entries: Vec<(Vec<Value>, Value)>,
    /// The result for every other tuple.
    pub default: Value,
    lookup: FxHashMap<Vec<Value>, usize>,
}

impl FuncInterp {
    /// A constant function.
    pub fn new(default: Value) -> FuncInterp {
        FuncInterp { entries: Vec::new(), default, lookup: FxHashMap::default() }
    }

    /// Sets the result for one tuple of arguments; the first setting stands.
    pub fn insert(&mut self, args: Vec<Value>, result: Value) {
        if !self.lookup.contains_key(&args) {
            self.lookup.insert(args.clone(), self.entries.len());
            self.entries.push((args, result));
        }
    }

    /// The result for a tuple of arguments.
    pub fn get(&self, args: &[Value]) -> &Value {
        match self.lookup.get(args) {
            Some(&n) => &self.entries[n].1,
            None => &self.default,
        }
    }
}

/// Interpretations of declared symbols. Symbols without one take the default value of their sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    interps: FxHashMap<Func, FuncInterp>,
    order: Vec<Func>,
    universes: FxHashMap<Sort, u32>,
}

impl Model {
    /// A model that interprets nothing yet.
    pub fn new() -> Model {
        Model::default()
    }

    /// Says how many elements an uninterpreted sort has, at least one. Otherwise it has infinitely many.
    pub fn set_universe(&mut self, sort: Sort, size: u32) {
        self.universes.insert(sort, size.max(1));
    }

    /// How many elements an uninterpreted sort has, if that was said.
    pub fn universe(&self, sort: Sort) -> Option<u32> {
        self.universes.get(&sort).copied()
    }

    /// Gives a constant its value.
    pub fn set(&mut self, f: Func, value: Value) {
        self.set_func(f, FuncInterp::new(value));
    }

    /// Gives a symbol its interpretation.
    pub fn set_func(&mut self, f: Func, interp: FuncInterp) {
        if self.interps.insert(f, interp).is_none() {
            self.order.push(f);
        }
    }

    /// The interpretation of a symbol.
    pub fn get(&self, f: Func) -> Option<&FuncInterp> {
        self.interps.get(&f)
    }

    /// The value of a constant.
    pub fn value(&self, f: Func) -> Option<&Value> {
        self.interps.get(&f).map(|i| &i.default)
    }

    /// The interpreted symbols, in the order in which they were set.
    pub fn symbols(&self) -> &[Func] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_with_few_indices_have_one_form() {
        let (mut s, mut m) = (Store::new(), Model::new());
        let word = s.bv_sort(1);
        let bit = |n: u8| Value::Bv(1, UBig::from(n));
        let one_everywhere = ArrayValue::constant(bit(1));
        let filled = ArrayValue::constant(bit(0)).store(bit(0), bit(1)).store(bit(1), bit(1));
        assert_eq!(filled.canonical(&s, &m, word), one_everywhere);
        let (a, b) =
            (one_everywhere.store(bit(0), bit(0)), ArrayValue::constant(bit(0)).store(bit(1), bit(1)));
        assert_eq!(a.canonical(&s, &m, word), b.canonical(&s, &m, word));
        let arrays = s.array_sort(word, word);
        assert_eq!(Value::domain(&s, &m, arrays, 4).map(|d| d.len()), Some(4));
        assert_eq!(Value::domain(&s, &m, arrays, 3), None);
        assert!(!s.is_infinite(arrays) && s.is_infinite(Sort::INT));
        let free = s.uninterpreted_sort("U");
        let (many, unknown) = (s.array_sort(Sort::INT, word), s.array_sort(Sort::INT, free));
        assert!(s.is_infinite(many) && !s.is_infinite(unknown));
        assert_eq!(Value::domain(&s, &m, free, 9), None);
        m.set_universe(free, 3);
        assert_eq!(Value::domain(&s, &m, free, 9).map(|d| d.len()), Some(3));
    }
}
