//! Values of datatypes: trees that share what they have in common.
//!
//! They may be as deep as terms are, so that nothing here recurses over them: they are compared, hashed and dropped with
//! work lists. Arrays inside of them nest no deeper than sorts do.

use crate::{Sort, Value};
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of a datatype.
#[derive(Clone, Debug)]
pub struct DataValue {
    sort: Sort,
    constructor: u32,
    fields: Vec<Value>,
    /// Of the whole value; equal values have equal ones.
    hash: u64,
}

impl DataValue {
    /// The value that a constructor makes of its fields.
    pub fn new(sort: Sort, constructor: u32, fields: Vec<Value>) -> DataValue {
        let mut h = FxHasher::default();
        (sort, constructor).hash(&mut h);
        fields.hash(&mut h);
        DataValue { sort, constructor, fields, hash: h.finish() }
    }

    /// The datatype.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// The number of the constructor.
    pub fn constructor(&self) -> u32 {
        self.constructor
    }

    /// The fields.
    pub fn fields(&self) -> &[Value] {
        &self.fields
    }

    /// A total order.
    pub fn order(&self, other: &DataValue) -> Ordering {
        let mut todo = vec![(self, other)];
        while let Some((a, b)) = todo.pop() {
            if std::ptr::eq(a, b) {
                continue;
            }
            let order = (a.sort, a.constructor, a.fields.len()).cmp(&(b.sort, b.constructor, b.fields.len()));
            if order != Ordering::Equal {
                return order;
            }
            let mut nested = Vec::new();
            for pair in a.fields.iter().zip(&b.fields) {
                match pair {
                    (Value::Data(x), Value::Data(y)) => nested.push((&**x, &**y)),
                    (x, y) => match x.order(y) {
                        Ordering::Equal => {}
                        order => return order,
                    },
                }
            }
            todo.extend(nested.into_iter().rev());
        }
        Ordering::Equal
    }
}

impl PartialEq for DataValue {
    fn eq(&self, other: &DataValue) -> bool {
        self.hash == other.hash && self.order(other) == Ordering::Equal
    }
}

impl Eq for DataValue {}

impl Hash for DataValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Drop for DataValue {
    fn drop(&mut self) {
        let mut todo = std::mem::take(&mut self.fields);
        while let Some(value) = todo.pop() {
            if let Value::Data(data) = value
                && let Ok(mut inner) = Arc::try_unwrap(data)
            {
                todo.append(&mut inner.fields);
            }
        }
    }
}
