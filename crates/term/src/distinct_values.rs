//! Families of different values, for terms of which a model only knows that they differ.

use crate::{ArrayValue, DataValue, Sort, SortKind, Store, Value};
use bolide_base::Rational;
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A field of a constructor of a datatype.
type Place = (Sort, u32, usize);

impl Value {
    /// A value other than the default of its sort; none if there need not be one.
    pub fn another(store: &Store, sort: Sort) -> Option<Value> {
        // Sorts nest only as deep as they were declared.
        match store.sort_kind(sort) {
            SortKind::Bool => Some(Value::Bool(true)),
            SortKind::Int | SortKind::Real => Some(Value::Num(Rational::ONE)),
            SortKind::BitVec(w) => Some(Value::Bv(*w, UBig::ONE)),
            SortKind::Float(f) => Some(Value::Bv(f.width(), UBig::ONE)),
            SortKind::Array(_, e) => {
                Some(Value::Array(Arc::new(ArrayValue::constant(Value::another(store, *e)?))))
            }
            SortKind::Uninterpreted(_) => None,
            SortKind::Datatype(_) => {
                let default = Value::default_of(store, sort);
                let first = default.as_data()?.constructor();
                let count = store.constructor_count(sort) as u32;
                if let Some(other) = (0..count).find(|&c| c != first) {
                    return Some(made_by(store, (sort, other, 0), None));
                }
                let fields = &store.constructor(sort, first).fields;
                let different = |i: usize| {
                    let value = Value::another(store, fields[i].sort)?;
                    Some(made_by(store, (sort, first, i), Some(value)))
                };
                (0..fields.len()).find_map(different)
            }
        }
    }

    /// Values of a sort that has infinitely many, a different one for each number.
    pub fn nth(store: &Store, sort: Sort, n: usize) -> Value {
        // Sorts nest only as deep as they were declared.
        match store.sort_kind(sort) {
            SortKind::Int | SortKind::Real => Value::Num(Rational::from(n as i64)),
            SortKind::Array(_, element) if store.is_infinite(*element) => {
                Value::Array(Arc::new(ArrayValue::constant(Value::nth(store, *element, n))))
            }
            SortKind::Array(index, element) => {
                let constant = ArrayValue::constant(Value::default_of(store, *element));
                let array = match Value::another(store, *element) {
                    Some(other) if n > 0 => constant.store(Value::nth(store, *index, n - 1), other),
                    _ => constant,
                };
                Value::Array(Arc::new(array))
            }
            SortKind::Datatype(_) => nth_of_datatype(store, sort, n),
            SortKind::Bool | SortKind::BitVec(_) | SortKind::Float(_) | SortKind::Uninterpreted(_) => {
                Value::default_of(store, sort)
            }
        }
    }
}

/// The value that a constructor makes of default values, but for one field.
fn made_by(store: &Store, (sort, constructor, field): Place, value: Option<Value>) -> Value {
    let fields = &store.constructor(sort, constructor).fields;
    let mut values: Vec<Value> = fields.iter().map(|f| Value::default_of(store, f.sort)).collect();
    if let Some(value) = value {
        values[field] = value;
    }
    Value::Data(Arc::new(DataValue::new(sort, constructor, values)))
}

/// The fields of a datatype.
fn places(store: &Store, sort: Sort) -> Vec<(Place, Sort)> {
    let constructors = store.datatype(sort).map_or(&[][..], |d| &d.constructors);
    let of = |(n, c): (usize, &crate::Constructor)| {
        let fields = c.fields.iter().enumerate();
        fields.map(move |(i, f)| ((sort, n as u32, i), f.sort)).collect::<Vec<_>>()
    };
    constructors.iter().enumerate().flat_map(of).collect()
}

/// The fields through which a value of one datatype contains one of another, the outermost first.
fn path(store: &Store, from: Sort, to: Sort) -> Option<Vec<Place>> {
    let mut reached: FxHashMap<Sort, Place> = FxHashMap::default();
    let mut todo = vec![from];
    while let Some(s) = todo.pop() {
        for (place, field) in places(store, s) {
            if store.datatype(field).is_some() && !reached.contains_key(&field) {
                reached.insert(field, place);
                todo.push(field);
            }
        }
    }
    let mut out = vec![*reached.get(&to)?];
    while out[out.len() - 1].0 != from {
        let sort = out[out.len() - 1].0;
        out.push(reached[&sort]);
    }
    out.reverse();
    Some(out)
}

fn nth_of_datatype(store: &Store, sort: Sort, n: usize) -> Value {
    let independent =
        |s: Sort| store.is_infinite(s) && (store.datatype(s).is_none() || path(store, s, sort).is_none());
    let found = places(store, sort).into_iter().find(|(_, s)| *s != sort && independent(*s));
    if let Some((place, field)) = found {
        return made_by(store, place, Some(Value::nth(store, field, n)));
    }
    let mut value = Value::default_of(store, sort);
    if let Some(cycle) = path(store, sort, sort) {
        for _ in 0..n {
            for &place in cycle.iter().rev() {
                value = made_by(store, place, Some(value));
            }
        }
    }
    value
}
