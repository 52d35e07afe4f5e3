//! Algebraic data types: declarations, and constructors of terms over them.
//!
//! A datatype is a sort with constructors, each with fields. `(_ is c)` tells which constructor made a value. A selector
//! applied to a value of another constructor has some value of its sort, the same for the same argument in one model, as
//! SMT-LIB has it: the interpretation of the symbol [`Field::otherwise`] says which.

use crate::{DataValue, Func, Op, Sort, SortKind, Store, Term, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Datatypes whose fields are of other datatypes may not nest deeper than this, recursion apart.
const MAX_NESTING: usize = 500;

/// Why there are no such datatypes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatatypeError {
    /// Every value of the type would contain another one.
    NoValues(Box<str>),
    /// The type contains itself through an array, which is not supported.
    ThroughArray(Box<str>),
    /// Types contain types too often.
    TooDeep,
}

impl std::fmt::Display for DatatypeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DatatypeError::NoValues(name) => write!(f, "the datatype `{name}` has no values"),
            DatatypeError::ThroughArray(name) => {
                write!(f, "the datatype `{name}` contains itself through an array, which is not supported")
            }
            DatatypeError::TooDeep => write!(f, "datatypes nest deeper than {MAX_NESTING}"),
        }
    }
}

impl std::error::Error for DatatypeError {}

/// A field of a constructor.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name of the selector.
    pub name: Box<str>,
    /// The sort of the field.
    pub sort: Sort,
    /// The function whose value a selector has where its argument was made by another constructor.
    pub otherwise: Func,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Box<str>,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// Its name, without parameters.
    pub name: Box<str>,
    /// The sorts for which its parameters stand, if it is an instance of a parametric datatype.
    pub params: Box<[Sort]>,
    /// Its constructors; none before [`Store::define_datatypes`].
    pub constructors: Vec<Constructor>,
    /// Does a value contain others of the same sort?
    pub recursive: bool,
    infinite: bool,
    two_values: bool,
    nesting: usize,
    /// Some value, once the type is defined.
    default: Option<Value>,
}

/// A constructor that is being declared: its name, and its selectors with their sorts.
pub type ConstructorDecl = (Box<str>, Vec<(Box<str>, Sort)>);

impl Store {
    /// A new sort that [`Store::define_datatypes`] will define. Every call makes another one.
    pub fn new_datatype(&mut self, name: &str, params: &[Sort]) -> Sort {
        let n = u32::try_from(self.datatypes.len()).expect("fewer than 2^32 datatypes");
        self.datatypes.push(Datatype {
            name: name.into(),
            params: params.into(),
            constructors: Vec::new(),
            recursive: false,
            infinite: false,
            two_values: false,
            nesting: 0,
            default: None,
        });
        self.sort(SortKind::Datatype(n))
    }

    /// Defines datatypes that were made with [`Store::new_datatype`], and whose fields may be of each other's sorts.
    pub fn define_datatypes(&mut self, types: &[(Sort, Vec<ConstructorDecl>)]) -> Result<(), DatatypeError> {
        for (sort, constructors) in types {
            let define = |s: &mut Store, (name, fields): &ConstructorDecl| {
                let field = |(name, field_sort): &(Box<str>, Sort)| Field {
                    name: name.clone(),
                    sort: *field_sort,
                    otherwise: s.func(&format!("@else.{name}"), &[*sort], *field_sort),
                };
                Constructor { name: name.clone(), fields: fields.iter().map(field).collect() }
            };
            let constructors = constructors.iter().map(|c| define(self, c)).collect();
            self.datatype_mut(*sort).constructors = constructors;
        }
        let sorts: Vec<Sort> = types.iter().map(|t| t.0).collect();
        self.set_defaults(&sorts)?;
        for &sort in &sorts {
            self.set_properties(sort, &sorts)?;
        }
        Ok(())
    }

    /// Finds a value of each new type; there must be one.
    fn set_defaults(&mut self, sorts: &[Sort]) -> Result<(), DatatypeError> {
        let mut open = sorts.to_vec();
        loop {
            let before = open.len();
            let mut i = 0;
            while i < open.len() {
                let sort = open[i];
                match self.first_value(sort) {
                    Some(value) => {
                        self.datatype_mut(sort).default = Some(value);
                        open.swap_remove(i);
                    }
                    None => i += 1,
                }
            }
            match open.first() {
                None => return Ok(()),
                Some(&sort) if open.len() == before => {
                    let name = &self.datatype(sort).expect("a datatype").name;
                    return Err(DatatypeError::NoValues(name.clone()));
                }
                Some(_) => {}
            }
        }
    }

    /// A value whose fields are all of sorts that are known to have one.
    fn first_value(&self, sort: Sort) -> Option<Value> {
        let datatype = self.datatype(sort)?;
        for (n, c) in datatype.constructors.iter().enumerate() {
            let known = |s: Sort| {
                let mut s = s;
                while let Some((_, element)) = self.array_sorts(s) {
                    s = element;
                }
                self.datatype(s).is_none_or(|d| d.default.is_some())
            };
            if c.fields.iter().all(|f| known(f.sort)) {
                let fields = c.fields.iter().map(|f| Value::default_of(self, f.sort)).collect();
                return Some(Value::Data(Arc::new(DataValue::new(sort, n as u32, fields))));
            }
        }
        None
    }

    fn set_properties(&mut self, sort: Sort, group: &[Sort]) -> Result<(), DatatypeError> {
        let mut seen: FxHashSet<Sort> = FxHashSet::default();
        let mut todo = vec![(sort, false)];
        let (mut recursive, mut infinite, mut nesting) = (false, false, 0);
        while let Some((s, in_array)) = todo.pop() {
            let datatype = self.datatype(s).expect("a datatype");
            for field in datatype.constructors.iter().flat_map(|c| &c.fields) {
                infinite |= self.is_infinite(field.sort);
                let mut parts = vec![(field.sort, in_array)];
                while let Some((part, in_array)) = parts.pop() {
                    match self.sort_kind(part) {
                        SortKind::Array(i, e) => parts.extend([(*i, true), (*e, true)]),
                        SortKind::Datatype(_) if part == sort && in_array => {
                            let name = &self.datatype(sort).expect("a datatype").name;
                            return Err(DatatypeError::ThroughArray(name.clone()));
                        }
                        SortKind::Datatype(_) if part == sort => recursive = true,
                        SortKind::Datatype(n) if !group.contains(&part) => {
                            nesting = nesting.max(self.datatypes[*n as usize].nesting + 1);
                        }
                        SortKind::Datatype(_) if seen.insert(part) => todo.push((part, in_array)),
                        _ => {}
                    }
                }
            }
        }
        if nesting > MAX_NESTING {
            return Err(DatatypeError::TooDeep);
        }
        let own = self.datatype(sort).expect("a datatype");
        let two_fields = own.constructors.iter().flat_map(|c| &c.fields).any(|f| self.has_two_values(f.sort));
        let two_values = own.constructors.len() > 1 || two_fields;
        let datatype = self.datatype_mut(sort);
        datatype.recursive = recursive;
        datatype.infinite = recursive || infinite;
        datatype.nesting = nesting + group.len();
        datatype.two_values = two_values;
        Ok(())
    }

    fn datatype_mut(&mut self, sort: Sort) -> &mut Datatype {
        match self.sort_kind(sort) {
            SortKind::Datatype(n) => {
                let n = *n as usize;
                &mut self.datatypes[n]
            }
            _ => unreachable!("the sort is a datatype"),
        }
    }

    /// The datatype that a sort is.
    #[inline]
    pub fn datatype(&self, sort: Sort) -> Option<&Datatype> {
        match self.sort_kind(sort) {
            SortKind::Datatype(n) => Some(&self.datatypes[*n as usize]),
            _ => None,
        }
    }

    /// The sorts of the datatypes made so far, in the order in which they were made.
    pub fn datatype_sorts(&self) -> Vec<Sort> {
        let is_datatype = |k: &SortKind| matches!(k, SortKind::Datatype(_));
        let sorts = self.sorts.iter().enumerate().filter(|(_, k)| is_datatype(k));
        sorts.map(|(n, _)| Sort(n as u32)).collect()
    }

    /// A constructor of a datatype.
    pub fn constructor(&self, sort: Sort, constructor: u32) -> &Constructor {
        &self.datatype(sort).expect("a datatype").constructors[constructor as usize]
    }

    /// The value that the datatype has by default.
    pub(crate) fn datatype_default(&self, sort: Sort) -> Option<&Value> {
        self.datatype(sort)?.default.as_ref()
    }

    /// Has the datatype infinitely many values in every model?
    pub(crate) fn datatype_is_infinite(&self, sort: Sort) -> bool {
        self.datatype(sort).is_some_and(|d| d.infinite)
    }

    /// Has the datatype two values in every model?
    pub(crate) fn datatype_has_two_values(&self, sort: Sort) -> bool {
        self.datatype(sort).is_some_and(|d| d.two_values)
    }

    /// A constructor applied to its fields; taking a value of the only constructor apart and together again vanishes.
    pub fn construct(&mut self, sort: Sort, constructor: u32, args: &[Term]) -> Term {
        debug_assert_eq!(self.constructor(sort, constructor).fields.len(), args.len());
        if let Some(&first) = args.first()
            && matches!(self.op(first), Op::Field { .. })
            && self.constructor_count(sort) == 1
        {
            let whole = self.arg(first, 0);
            let is_field = |i: usize, a: Term| {
                matches!(self.op(a), Op::Field { field, .. } if field as usize == i)
                    && self.arg(a, 0) == whole
            };
            if self.sort_of(whole) == sort && args.iter().enumerate().all(|(i, &a)| is_field(i, a)) {
                return whole;
            }
        }
        self.raw_construct(sort, constructor, args)
    }

    /// The number of constructors of a datatype.
    pub fn constructor_count(&self, sort: Sort) -> usize {
        self.datatype(sort).map_or(0, |d| d.constructors.len())
    }

    /// A field of a value, which should have been made by that constructor.
    pub fn field(&mut self, constructor: u32, field: u32, t: Term) -> Term {
        match self.op(t) {
            Op::Construct(c) if c == constructor => self.arg(t, field as usize),
            _ => self.raw_field(constructor, field, t),
        }
    }

    /// Was a value made by this constructor? For a constructor without fields this is an equality.
    pub fn is_constructor(&mut self, constructor: u32, t: Term) -> Term {
        let sort = self.sort_of(t);
        match self.op(t) {
            Op::Construct(c) => self.bool(c == constructor),
            _ if self.constructor_count(sort) == 1 => self.tru(),
            _ if self.constructor(sort, constructor).fields.is_empty() => {
                let constant = self.construct(sort, constructor, &[]);
                self.eq(t, constant)
            }
            _ => self.raw_is_constructor(constructor, t),
        }
    }

    /// [`Store::construct`] without simplification, for axioms.
    pub fn raw_construct(&mut self, sort: Sort, constructor: u32, args: &[Term]) -> Term {
        self.intern(Op::Construct(constructor), sort, args)
    }

    /// [`Store::field`] without simplification, for axioms.
    pub fn raw_field(&mut self, constructor: u32, field: u32, t: Term) -> Term {
        let sort = self.constructor(self.sort_of(t), constructor).fields[field as usize].sort;
        self.intern(Op::Field { constructor, field }, sort, &[t])
    }

    /// [`Store::is_constructor`] without simplification, for axioms.
    pub fn raw_is_constructor(&mut self, constructor: u32, t: Term) -> Term {
        self.intern(Op::Is(constructor), Sort::BOOL, &[t])
    }

    /// The equality of two values of a datatype, taken apart where both sides are constructors.
    pub(crate) fn datatype_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        let (mut todo, mut out) = (vec![(a, b)], Vec::new());
        if !matches!((self.op(a), self.op(b)), (Op::Construct(_), Op::Construct(_))) {
            return None;
        }
        while let Some((a, b)) = todo.pop() {
            match (self.op(a), self.op(b)) {
                (Op::Construct(c), Op::Construct(d)) if c != d => return Some(self.fls()),
                (Op::Construct(_), Op::Construct(_)) => {
                    let pairs = self.args(a).iter().copied().zip(self.args(b).iter().copied());
                    todo.extend(pairs.filter(|(x, y)| x != y).collect::<Vec<_>>());
                }
                _ => out.push(self.eq(a, b)),
            }
        }
        Some(self.and(&out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(s: &mut Store) -> Sort {
        let list = s.new_datatype("list", &[]);
        let cons = ("cons".into(), vec![("head".into(), Sort::INT), ("tail".into(), list)]);
        s.define_datatypes(&[(list, vec![("nil".into(), vec![]), cons])]).unwrap();
        list
    }

    #[test]
    fn constructors_simplify() {
        let mut s = Store::new();
        let list = list(&mut s);
        let (x, l) = (s.var("x", Sort::INT), s.var("l", list));
        let nil = s.construct(list, 0, &[]);
        let one = s.int(1);
        let (a, b) = (s.construct(list, 1, &[one, l]), s.construct(list, 1, &[x, nil]));
        assert_eq!(s.eq(a, nil), s.fls());
        assert_eq!(s.field(1, 0, a), one);
        assert_eq!(s.is_constructor(1, a), s.tru());
        let (e, f) = (s.eq(one, x), s.eq(l, nil));
        let both = s.and(&[e, f]);
        assert_eq!(s.eq(a, b), both);
        assert!(s.is_infinite(list));
    }

    #[test]
    fn types_without_values_are_refused() {
        let mut s = Store::new();
        let t = s.new_datatype("t", &[]);
        assert!(s.define_datatypes(&[(t, vec![("c".into(), vec![("f".into(), t)])])]).is_err());
        let u = s.new_datatype("u", &[]);
        let array = s.array_sort(Sort::INT, u);
        let c = ("c".into(), vec![("f".into(), array)]);
        assert!(s.define_datatypes(&[(u, vec![("n".into(), vec![]), c])]).is_err());
    }

    #[test]
    fn deep_values_are_no_trouble() {
        let mut s = Store::new();
        let list = list(&mut s);
        let zero = s.int(0);
        let mut t = s.construct(list, 0, &[]);
        for _ in 0..200_000 {
            t = s.construct(list, 1, &[zero, t]);
        }
        let model = crate::Model::new();
        let v = crate::Evaluator::new(&s, &model).eval(t).unwrap();
        let w = crate::Evaluator::new(&s, &model).eval(t).unwrap();
        assert!(v == w && v.order(&w).is_eq());
        assert_eq!(v.to_term(&mut s, list), t);
    }
}
