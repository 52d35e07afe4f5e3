//! The way back: formulas and values over the components of records as ones over the records.
//!
//! A component of a record is a field of it, so that most formulas are translated term by term. An array of records was
//! taken apart into an array for each field, and such an array is not a term over the given one: it is only read, and an equality
//! between two of them speaks of all their elements.

use super::Shape;
use bolide_model::horn::PredId;
use bolide_term::{ArrayValue, DataValue, Op, Sort, SortKind, Store, Term, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// How the records of a problem were taken apart.
#[derive(Clone, Debug)]
pub struct Records {
    pub(super) shapes: FxHashMap<Sort, Shape>,
    /// The datatypes as they were declared, by those that replaced them.
    pub(super) declared: FxHashMap<Sort, Sort>,
    /// The parameters of each predicate as it was declared.
    pub(super) params: Vec<Vec<Term>>,
    /// The components of the constants that were taken apart.
    pub(super) variables: FxHashMap<Term, Vec<Term>>,
}

/// What a term over components is in terms of records.
#[derive(Clone)]
enum Part {
    /// A term.
    Term(Term),
    /// An array that is no term.
    Rows(Rc<Rows>),
}

/// An array that can be read.
enum Rows {
    /// One of the components of the elements of an array, after so many components of the index.
    Component { array: Term, which: usize, indices: Vec<Term> },
    /// Another array with one element changed.
    Write { array: Part, index: Term, value: Part },
    /// The same element everywhere.
    Constant(Part),
    /// One of two arrays.
    Choice { condition: Term, yes: Part, no: Part },
}

impl Part {
    fn term(&self) -> Option<Term> {
        match self {
            Part::Term(t) => Some(*t),
            Part::Rows(_) => None,
        }
    }
}

impl Records {
    /// The parameters of a predicate as it was declared, and what a formula over the components of them says of these. Nothing if that
    /// cannot be said: an array of records would have to be made from arrays of their fields.
    pub fn definition(
        &self,
        store: &mut Store,
        pred: PredId,
        components: &[Term],
        formula: Term,
    ) -> Option<(Vec<Term>, Term)> {
        let params = self.params.get(pred.index())?.clone();
        let parts: Vec<Part> = params.iter().flat_map(|&p| self.parts(store, p)).collect();
        let memo = components.iter().copied().zip(parts).collect();
        Some((params, self.term(store, memo, formula)?))
    }

    /// A function of one value of a datatype that was replaced, as one of the datatype that was declared: the constant for the value, and
    /// the body.
    pub fn function(&self, store: &mut Store, value: Term, body: Term) -> Option<(Term, Term)> {
        let sort = *self.declared.get(&store.sort_of(value))?;
        let name = store.decl(store.as_var(value)?).name.clone();
        let declared = store.var(&name, sort);
        let memo = [(value, Part::Term(declared))].into_iter().collect();
        Some((declared, self.term(store, memo, body)?))
    }

    /// What a term is, given what its constants are.
    fn term(&self, store: &mut Store, mut memo: FxHashMap<Term, Part>, term: Term) -> Option<Term> {
        let order: Vec<Term> = store.post_order([term]).collect();
        for t in order {
            if !memo.contains_key(&t) {
                let part = self.node(store, t, &memo)?;
                memo.insert(t, part);
            }
        }
        memo[&term].term()
    }

    /// The values of a predicate's arguments as it was declared.
    pub fn fact(&self, store: &Store, pred: PredId, components: &[Value]) -> Option<Vec<Value>> {
        let params = self.params.get(pred.index())?;
        let mut rest = components.iter();
        params.iter().map(|&p| self.value(store, store.sort_of(p), &mut rest)).collect()
    }

    /// The constants that were taken apart, each by one of its components.
    pub(in super::super) fn by_component(&self) -> FxHashMap<Term, Term> {
        let pairs = self.variables.iter().flat_map(|(&v, parts)| parts.iter().map(move |&p| (p, v)));
        pairs.collect()
    }

    /// Was a constant taken apart?
    pub(in super::super) fn is_taken_apart(&self, constant: Term) -> bool {
        self.variables.contains_key(&constant)
    }

    /// The value of a constant that was taken apart, from those of its components.
    pub(in super::super) fn constant(
        &self,
        store: &Store,
        constant: Term,
        value: &dyn Fn(Term) -> Value,
    ) -> Option<Value> {
        let parts: Vec<Value> = self.variables.get(&constant)?.iter().map(|&p| value(p)).collect();
        self.value(store, store.sort_of(constant), &mut parts.iter())
    }

    /// The parameters of a predicate as it was declared.
    pub fn params(&self, pred: PredId) -> &[Term] {
        self.params.get(pred.index()).map_or(&[], Vec::as_slice)
    }

    fn shape(&self, store: &Store, sort: Sort) -> Shape {
        match (self.shapes.get(&sort), store.sort_kind(sort)) {
            (Some(shape), _) => shape.clone(),
            (None, SortKind::Array(index, element)) => Shape::Array(*index, *element),
            _ => Shape::Whole(sort),
        }
    }

    /// Is a sort its own only component?
    fn is_kept(&self, store: &Store, sort: Sort) -> bool {
        match self.shape(store, sort) {
            Shape::Whole(s) => s == sort,
            Shape::Array(index, element) => self.is_kept(store, index) && self.is_kept(store, element),
            Shape::Flag | Shape::Tuple(_) => false,
        }
    }

    /// The number of components of a sort.
    fn width(&self, store: &Store, sort: Sort) -> usize {
        match self.shape(store, sort) {
            Shape::Whole(_) | Shape::Flag => 1,
            Shape::Tuple(fields) => fields.iter().map(|&f| self.width(store, f)).sum(),
            Shape::Array(_, element) => self.width(store, element),
        }
    }

    /// The sorts of the parts that are terms; nothing if one of them is not.
    fn sorts(&self, store: &Store, sort: Sort) -> Option<Vec<Sort>> {
        match self.shape(store, sort) {
            Shape::Whole(_) => Some(vec![sort]),
            Shape::Flag => Some(vec![Sort::BOOL]),
            Shape::Tuple(fields) => {
                let mut all = Vec::new();
                for f in fields {
                    all.extend(self.sorts(store, f)?);
                }
                Some(all)
            }
            Shape::Array(..) => self.is_kept(store, sort).then(|| vec![sort]),
        }
    }

    /// The components of a term.
    fn parts(&self, store: &mut Store, t: Term) -> Vec<Part> {
        let sort = store.sort_of(t);
        if self.is_kept(store, sort) {
            return vec![Part::Term(t)];
        }
        match self.shape(store, sort) {
            Shape::Whole(_) => vec![Part::Term(t)],
            Shape::Flag => vec![Part::Term(store.is_constructor(1, t))],
            Shape::Tuple(fields) => {
                let field = |i: usize| {
                    let f = store.field(0, i as u32, t);
                    self.parts(store, f)
                };
                (0..fields.len()).flat_map(field).collect()
            }
            Shape::Array(_, element) => {
                let component = |which| Rows::Component { array: t, which, indices: Vec::new() };
                (0..self.width(store, element)).map(|which| Part::Rows(Rc::new(component(which)))).collect()
            }
        }
    }

    /// The term with these components.
    fn whole(&self, store: &mut Store, sort: Sort, parts: &mut dyn Iterator<Item = Part>) -> Option<Term> {
        if self.is_kept(store, sort) {
            return parts.next()?.term();
        }
        match self.shape(store, sort) {
            Shape::Whole(_) => parts.next()?.term(),
            Shape::Flag => {
                let is_second = parts.next()?.term()?;
                let (first, second) = (store.construct(sort, 0, &[]), store.construct(sort, 1, &[]));
                Some(store.ite(is_second, second, first))
            }
            Shape::Tuple(fields) => {
                let mut values = Vec::with_capacity(fields.len());
                for f in fields {
                    values.push(self.whole(store, f, parts)?);
                }
                Some(store.construct(sort, 0, &values))
            }
            Shape::Array(_, element) => {
                let mut whole = None;
                for n in 0..self.width(store, element) {
                    let Part::Rows(rows) = parts.next()? else { return None };
                    match &*rows {
                        Rows::Component { array, which, indices }
                            if *which == n
                                && indices.is_empty()
                                && *whole.get_or_insert(*array) == *array
                                && store.sort_of(*array) == sort => {}
                        _ => return None,
                    }
                }
                whole
            }
        }
    }

    /// What a term is, given what its arguments are.
    fn node(&self, store: &mut Store, t: Term, memo: &FxHashMap<Term, Part>) -> Option<Part> {
        let args: Vec<Part> = store.args(t).iter().map(|a| memo[a].clone()).collect();
        let declared = |s: Sort| self.declared.get(&s).copied();
        let term = match store.op(t) {
            Op::Select => return self.read(store, &args[0], args[1].term()?),
            Op::Store => match (args[0].term(), args[2].term()) {
                (Some(array), Some(value)) => store.store(array, args[1].term()?, value),
                _ => {
                    let [array, index, value] = <[Part; 3]>::try_from(args).ok()?;
                    return Some(Part::Rows(Rc::new(Rows::Write { array, index: index.term()?, value })));
                }
            },
            Op::ConstArray => match args[0].term() {
                Some(value) => {
                    let (index, _) = store.array_sorts(store.sort_of(t))?;
                    let index = declared(index).unwrap_or(index);
                    let sort = store.array_sort(index, store.sort_of(value));
                    store.const_array(sort, value)
                }
                None => return Some(Part::Rows(Rc::new(Rows::Constant(args[0].clone())))),
            },
            // A function on a datatype that was declared otherwise is one on that.
            Op::Apply(f) if !args.is_empty() => {
                let args: Option<Vec<Term>> = args.iter().map(Part::term).collect();
                let args = args?;
                let sorts: Vec<Sort> = args.iter().map(|&a| store.sort_of(a)).collect();
                let decl = store.decl(f).clone();
                let func = store.func(&decl.name, &sorts, decl.result);
                store.apply(func, &args)
            }
            Op::Ite => return Some(choice(store, args[0].term()?, &args[1], &args[2])),
            Op::Eq => self.equal(store, &args[0], &args[1])?,
            Op::Construct(c) if declared(store.sort_of(t)).is_some() => {
                let sort = declared(store.sort_of(t))?;
                let fields: Vec<Sort> = store.constructor(sort, c).fields.iter().map(|f| f.sort).collect();
                let mut rest = args.into_iter();
                let mut values = Vec::with_capacity(fields.len());
                for f in fields {
                    values.push(self.whole(store, f, &mut rest)?);
                }
                store.construct(sort, c, &values)
            }
            Op::Field { constructor, field } if declared(store.sort_of(store.arg(t, 0))).is_some() => {
                let sort = declared(store.sort_of(store.arg(t, 0)))?;
                let fields: Vec<Sort> =
                    store.constructor(sort, constructor).fields.iter().map(|f| f.sort).collect();
                let whole = args[0].term()?;
                let mut before = field as usize;
                for (n, f) in fields.into_iter().enumerate() {
                    let width = self.width(store, f);
                    if before < width {
                        let value = store.field(constructor, n as u32, whole);
                        return self.parts(store, value).into_iter().nth(before);
                    }
                    before -= width;
                }
                return None;
            }
            Op::Is(c) => store.is_constructor(c, args[0].term()?),
            _ => {
                let args: Option<Vec<Term>> = args.iter().map(Part::term).collect();
                store.rebuild(t, &args?)
            }
        };
        Some(Part::Term(term))
    }

    /// An element of an array.
    fn read(&self, store: &mut Store, array: &Part, index: Term) -> Option<Part> {
        let rows = match array {
            Part::Term(a) => return Some(Part::Term(store.select(*a, index))),
            Part::Rows(rows) => rows.clone(),
        };
        // Writes and choices nest as deep as the formula does.
        let mut conditions = Vec::new();
        let mut rows = rows;
        let mut found = loop {
            let next = match &*rows {
                Rows::Component { array, which, indices } => {
                    break self.component(store, *array, *which, indices, index)?;
                }
                Rows::Constant(value) => break value.clone(),
                Rows::Write { array, index: written, value } => {
                    let same = store.eq(*written, index);
                    conditions.push((same, value.clone()));
                    array.clone()
                }
                Rows::Choice { condition, yes, no } => {
                    // Choices between arrays are as deep as the formula nests them, which is not deep in interpretations.
                    let (yes, no) = (self.read(store, yes, index)?, self.read(store, no, index)?);
                    break choice(store, *condition, &yes, &no);
                }
            };
            match next {
                Part::Rows(inner) => rows = inner,
                Part::Term(a) => break Part::Term(store.select(a, index)),
            }
        };
        for (condition, value) in conditions.into_iter().rev() {
            found = choice(store, condition, &value, &found);
        }
        Some(found)
    }

    /// A component of an element of an array, or of a row of it.
    fn component(
        &self,
        store: &mut Store,
        array: Term,
        which: usize,
        indices: &[Term],
        index: Term,
    ) -> Option<Part> {
        let mut indices = indices.to_vec();
        indices.push(index);
        let (sort, _) = store.array_sorts(store.sort_of(array))?;
        if indices.len() < self.width(store, sort) {
            return Some(Part::Rows(Rc::new(Rows::Component { array, which, indices })));
        }
        let index = self.whole(store, sort, &mut indices.into_iter().map(Part::Term))?;
        let element = store.select(array, index);
        self.parts(store, element).into_iter().nth(which)
    }

    /// Are two parts equal? Arrays are if their elements are.
    fn equal(&self, store: &mut Store, a: &Part, b: &Part) -> Option<Term> {
        // Every round goes one array deeper into the sort.
        let (mut a, mut b, mut bound) = (a.clone(), b.clone(), Vec::new());
        let body = loop {
            if let (Some(a), Some(b)) = (a.term(), b.term()) {
                break store.eq(a, b);
            }
            if let Some((a, b)) = self.only_components(store, &a, &b) {
                break store.eq(a, b);
            }
            match self.index_sort(store, &a).or_else(|| self.index_sort(store, &b)) {
                Some(sort) => {
                    let index = store.fresh_var("i", sort);
                    bound.push(index);
                    (a, b) = (self.read(store, &a, index)?, self.read(store, &b, index)?);
                }
                None => {
                    let (Part::Rows(x), Part::Rows(y)) = (&a, &b) else { return None };
                    let (Rows::Constant(v), Rows::Constant(w)) = (&**x, &**y) else { return None };
                    (a, b) = (v.clone(), w.clone());
                }
            }
        };
        Some(if bound.is_empty() { body } else { store.forall(&bound, body) })
    }

    /// Two arrays, if these are the only components of their elements.
    fn only_components(&self, store: &Store, a: &Part, b: &Part) -> Option<(Term, Term)> {
        let whole = |part: &Part| match part {
            Part::Rows(rows) => match &**rows {
                Rows::Component { array, indices, .. } if indices.is_empty() => {
                    let (_, element) = store.array_sorts(store.sort_of(*array))?;
                    (self.width(store, element) == 1).then_some(*array)
                }
                _ => None,
            },
            Part::Term(_) => None,
        };
        let (a, b) = (whole(a)?, whole(b)?);
        (store.sort_of(a) == store.sort_of(b)).then_some((a, b))
    }

    /// The sort of the indices of an array; nothing if it is the same everywhere.
    fn index_sort(&self, store: &Store, array: &Part) -> Option<Sort> {
        let mut array = array.clone();
        loop {
            let rows = match array {
                Part::Term(t) => return store.array_sorts(store.sort_of(t)).map(|s| s.0),
                Part::Rows(rows) => rows,
            };
            array = match &*rows {
                Rows::Component { array, indices, .. } => {
                    let (sort, _) = store.array_sorts(store.sort_of(*array))?;
                    return self.sorts(store, sort)?.get(indices.len()).copied();
                }
                Rows::Write { index, .. } => return Some(store.sort_of(*index)),
                Rows::Constant(_) => return None,
                Rows::Choice { yes, .. } => yes.clone(),
            };
        }
    }

    /// The value with these components.
    fn value(&self, store: &Store, sort: Sort, parts: &mut dyn Iterator<Item = &'_ Value>) -> Option<Value> {
        if self.is_kept(store, sort) {
            return parts.next().cloned();
        }
        match self.shape(store, sort) {
            Shape::Whole(_) => self.data(store, parts.next()?),
            Shape::Flag => {
                let constructor = u32::from(parts.next()?.as_bool()?);
                Some(Value::Data(Arc::new(DataValue::new(sort, constructor, Vec::new()))))
            }
            Shape::Tuple(fields) => {
                let mut values = Vec::with_capacity(fields.len());
                for f in fields {
                    values.push(self.value(store, f, parts)?);
                }
                Some(Value::Data(Arc::new(DataValue::new(sort, 0, values))))
            }
            Shape::Array(index, element) => {
                let depth = self.width(store, index);
                let mut arrays = Vec::new();
                for _ in 0..self.width(store, element) {
                    arrays.push(flat(parts.next()?, depth)?);
                }
                let defaults: Vec<Value> = arrays.iter().map(|(d, _)| d.clone()).collect();
                let mut array = ArrayValue::constant(self.value(store, element, &mut defaults.iter())?);
                let mut indices: Vec<&Vec<Value>> =
                    arrays.iter().flat_map(|(_, entries)| entries.iter().map(|(i, _)| i)).collect();
                indices.sort_by(|a, b| order(a, b));
                indices.dedup();
                for at in indices {
                    let elements: Vec<Value> = arrays.iter().map(|a| element_at(a, at)).collect();
                    let value = self.value(store, element, &mut elements.iter())?;
                    array = array.store(self.value(store, index, &mut at.iter())?, value);
                }
                Some(Value::Array(Arc::new(array)))
            }
        }
    }

    /// A value of a datatype that was replaced. Values may be as deep as the derivation is long.
    fn data(&self, store: &Store, value: &Value) -> Option<Value> {
        let Value::Data(root) = value else { return None };
        let mut done: FxHashMap<*const DataValue, Value> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&data) = stack.last() {
            let of_field = |v: &'_ Value| match v {
                Value::Data(d) if self.declared.contains_key(&d.sort()) => Some(Arc::as_ptr(d)),
                _ => None,
            };
            let before = stack.len();
            for v in data.fields() {
                if let (Value::Data(d), Some(key)) = (v, of_field(v))
                    && !done.contains_key(&key)
                {
                    stack.push(d);
                }
            }
            if stack.len() > before {
                continue;
            }
            let sort = *self.declared.get(&data.sort())?;
            let mut rest = data.fields().iter();
            let mut fields = Vec::new();
            for f in &store.constructor(sort, data.constructor()).fields {
                let nested = |s: Sort| matches!(self.shapes.get(&s), Some(Shape::Whole(new)) if *new != s);
                fields.push(if nested(f.sort) {
                    done.get(&of_field(rest.next()?)?)?.clone()
                } else {
                    self.value(store, f.sort, &mut rest)?
                });
            }
            let whole = Value::Data(Arc::new(DataValue::new(sort, data.constructor(), fields)));
            done.insert(Arc::as_ptr(data), whole);
            stack.pop();
        }
        done.remove(&Arc::as_ptr(root))
    }
}

fn choice(store: &mut Store, condition: Term, yes: &Part, no: &Part) -> Part {
    match (yes, no) {
        (Part::Term(a), Part::Term(b)) => Part::Term(store.ite(condition, *a, *b)),
        _ => Part::Rows(Rc::new(Rows::Choice { condition, yes: yes.clone(), no: no.clone() })),
    }
}

fn order(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let orders = a.iter().zip(b).map(|(v, w)| v.order(w));
    orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}

/// An array of arrays as one whose indices are lists: what it holds by default, and exceptions in order.
type Flat = (Value, Vec<(Vec<Value>, Value)>);

/// Nested arrays as one; nothing if rows that are not listed have exceptions.
fn flat(value: &Value, depth: usize) -> Option<Flat> {
    if depth == 0 {
        return Some((value.clone(), vec![]));
    }
    let mut entries = vec![(Vec::new(), value.clone())];
    let mut default = value.clone();
    for _ in 0..depth {
        let Value::Array(rows) = &default else { return None };
        let (exceptions, inner) = (&rows.entries, rows.default.clone());
        if entries.len() == 1 && entries[0].0.is_empty() {
            entries = exceptions.iter().map(|(i, v)| (vec![i.clone()], v.clone())).collect();
        } else {
            if !exceptions.is_empty() {
                return None;
            }
            let mut deeper = Vec::new();
            for (index, row) in entries {
                let Value::Array(row) = row else { return None };
                // What a listed row holds by default must be what the others hold.
                if row.default != inner {
                    return None;
                }
                for (i, v) in &row.entries {
                    let mut at = index.clone();
                    at.push(i.clone());
                    deeper.push((at, v.clone()));
                }
            }
            entries = deeper;
        }
        default = inner;
    }
    entries.sort_by(|a, b| order(&a.0, &b.0));
    Some((default, entries))
}

fn element_at((default, entries): &Flat, at: &[Value]) -> Value {
    match entries.binary_search_by(|(i, _)| order(i, at)) {
        Ok(n) => entries[n].1.clone(),
        Err(_) => default.clone(),
    }
}
