//! Records taken apart: clauses over datatypes become clauses over their fields wherever that loses nothing.
//!
//! A datatype with a single constructor that is not recursive is a tuple, and a value of it is the list of its components.
//! An array of tuples is a tuple of arrays; an array whose indices are tuples is an array of arrays; a datatype with two
//! constructors and no fields is Bool. All of these are one-to-one, so that the clauses have a model or a refutation
//! exactly if the given ones have. The other datatypes stay, with fields that are taken apart.

mod back;

pub use back::Records;

use super::Problem;
use bolide_model::horn::{Atom, Clause, Horn};
use bolide_term::{ConstructorDecl, Op, Sort, SortKind, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sort with more components than this is not taken apart.
const MAX_COMPONENTS: usize = 1000;

/// How a sort is taken apart.
#[derive(Clone, Debug)]
enum Shape {
    /// It is not, though its sort may be another.
    Whole(Sort),
    /// Two constructors without fields: Bool.
    Flag,
    /// A tuple of these sorts.
    Tuple(Vec<Sort>),
    /// An array of so many components, with indices of this sort.
    Array(Sort, Sort),
}

/// Takes the records of a problem apart; nothing if there are none.
pub(super) fn take_apart(store: &mut Store, problem: &Problem) -> Option<Problem> {
    let sorts = store.datatype_sorts();
    if sorts.is_empty() {
        return None;
    }
    let mut flattener = Flattener { store, shapes: FxHashMap::default(), memo: FxHashMap::default() };
    flattener.shape_datatypes(&sorts);
    let mut horn = Horn::default();
    for p in &problem.horn.preds {
        let of_param = |v: &Term| flattener.store.sort_of(*v);
        let params: Vec<Sort> = p.params.iter().map(of_param).collect();
        let components: Vec<Sort> = params.into_iter().flat_map(|s| flattener.components(s)).collect();
        horn.add_predicate(flattener.store, &p.name, &components);
    }
    for c in &problem.horn.clauses {
        let mut atom =
            |a: &Atom| Atom { pred: a.pred, args: a.args.iter().flat_map(|&t| flattener.term(t)).collect() };
        let (body, head) = (c.body.iter().map(&mut atom).collect(), c.head.as_ref().map(&mut atom));
        let constraint = flattener.term(c.constraint)[0];
        horn.clauses.push(Clause { head, body, constraint, span: c.span });
    }
    let is_variable = |t: &Term| flattener.store.as_var(*t).is_some();
    let mut variables: FxHashMap<Term, Vec<Term>> = flattener.memo;
    variables.retain(|t, parts| is_variable(t) && *parts != [*t]);
    let shapes = flattener.shapes;
    let replaced = |(&sort, shape): (&Sort, &Shape)| match shape {
        Shape::Whole(new) if *new != sort => Some((*new, sort)),
        _ => None,
    };
    let declared = shapes.iter().filter_map(replaced).collect();
    let params = problem.horn.preds.iter().map(|p| p.params.clone()).collect();
    let records = Some(Records { shapes, declared, params, variables });
    Some(Problem { horn, symbols: problem.symbols.clone(), records })
}

struct Flattener<'a> {
    store: &'a mut Store,
    shapes: FxHashMap<Sort, Shape>,
    /// The components of terms.
    memo: FxHashMap<Term, Vec<Term>>,
}

impl Flattener<'_> {
    /// Decides about all datatypes, and makes new ones for those that stay but have fields that do not.
    fn shape_datatypes(&mut self, sorts: &[Sort]) {
        let mut kept = Vec::new();
        for &sort in sorts {
            let Some(datatype) = self.store.datatype(sort) else { continue };
            let constructors = &datatype.constructors;
            let shape = match constructors.as_slice() {
                [only] if !datatype.recursive => Shape::Tuple(only.fields.iter().map(|f| f.sort).collect()),
                [a, b] if a.fields.is_empty() && b.fields.is_empty() => Shape::Flag,
                // A type that was never defined has no terms.
                [] => continue,
                _ => {
                    kept.push(sort);
                    Shape::Whole(sort)
                }
            };
            self.shapes.insert(sort, shape);
        }
        // Tuples of tuples of tuples may have very many components.
        for &sort in sorts {
            if matches!(self.shapes.get(&sort), Some(Shape::Tuple(_)))
                && self.count(sort, &mut FxHashMap::default()) > MAX_COMPONENTS
            {
                self.shapes.insert(sort, Shape::Whole(sort));
                kept.push(sort);
            }
        }
        let fields = |store: &Store, sort: Sort| -> Vec<Sort> {
            let constructors = store.datatype(sort).map_or(&[][..], |d| &d.constructors);
            constructors.iter().flat_map(|c| &c.fields).map(|f| f.sort).collect()
        };
        let changes = |f: &mut Self, s: Sort| f.components(s) != [s];
        let mut changed: FxHashSet<Sort> = FxHashSet::default();
        for &sort in &kept {
            if fields(self.store, sort).into_iter().any(|s| changes(self, s)) {
                changed.insert(sort);
            }
        }
        if changed.is_empty() {
            return;
        }
        // What stays may contain what changes; all of them get a new sort.
        for &sort in &kept {
            let datatype = self.store.datatype(sort).expect("a datatype").clone();
            let new = self.store.new_datatype(&datatype.name, &datatype.params);
            self.shapes.insert(sort, Shape::Whole(new));
        }
        let mut definitions: Vec<(Sort, Vec<ConstructorDecl>)> = Vec::new();
        for &sort in &kept {
            let Some(Shape::Whole(new)) = self.shapes.get(&sort).cloned() else { continue };
            let constructors = self.store.datatype(sort).expect("a datatype").constructors.clone();
            let mut declared = Vec::with_capacity(constructors.len());
            for c in constructors {
                let mut selectors: Vec<(Box<str>, Sort)> = Vec::new();
                for f in &c.fields {
                    let components = self.components(f.sort);
                    let single = components.len() == 1;
                    for (i, s) in components.into_iter().enumerate() {
                        let name = if single { f.name.clone() } else { format!("{}.{i}", f.name).into() };
                        selectors.push((name, s));
                    }
                }
                declared.push((c.name.clone(), selectors));
            }
            definitions.push((new, declared));
        }
        let defined = self.store.define_datatypes(&definitions);
        debug_assert!(defined.is_ok(), "a type that was taken apart has values like the given one");
    }

    /// The number of components of a sort, up to a bit more than the limit.
    fn count(&self, sort: Sort, memo: &mut FxHashMap<Sort, usize>) -> usize {
        // Datatypes and arrays nest no deeper than the store and the reader allow.
        if let Some(&n) = memo.get(&sort) {
            return n;
        }
        let n = match (self.shapes.get(&sort), self.store.sort_kind(sort)) {
            (Some(Shape::Tuple(fields)), _) => {
                let mut n = 0;
                for &f in fields {
                    n += self.count(f, memo);
                    if n > MAX_COMPONENTS {
                        break;
                    }
                }
                n
            }
            (None, SortKind::Array(_, element)) => self.count(*element, memo),
            _ => 1,
        };
        memo.insert(sort, n);
        n
    }

    fn shape(&self, sort: Sort) -> Shape {
        match (self.shapes.get(&sort), self.store.sort_kind(sort)) {
            (Some(shape), _) => shape.clone(),
            (None, SortKind::Array(index, element)) => Shape::Array(*index, *element),
            _ => Shape::Whole(sort),
        }
    }

    /// The sorts of the components of a sort.
    fn components(&mut self, sort: Sort) -> Vec<Sort> {
        // Datatypes and arrays nest no deeper than the store and the reader allow.
        match self.shape(sort) {
            Shape::Whole(s) => vec![s],
            Shape::Flag => vec![Sort::BOOL],
            Shape::Tuple(fields) => fields.into_iter().flat_map(|f| self.components(f)).collect(),
            Shape::Array(index, element) => {
                let indices = self.components(index);
                let elements = self.components(element);
                elements.into_iter().map(|e| self.array_sort(&indices, e)).collect()
            }
        }
    }

    fn array_sort(&mut self, indices: &[Sort], element: Sort) -> Sort {
        indices.iter().rev().fold(element, |e, &i| self.store.array_sort(i, e))
    }

    /// The components of a term.
    fn term(&mut self, root: Term) -> Vec<Term> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.store.args(t).iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            let components = self.node(t);
            self.memo.insert(t, components);
            stack.pop();
        }
        self.memo[&root].clone()
    }

    /// The components of a term whose arguments were taken apart.
    fn node(&mut self, t: Term) -> Vec<Term> {
        let sort = self.store.sort_of(t);
        let args: Vec<Vec<Term>> = self.store.args(t).iter().map(|a| self.memo[a].clone()).collect();
        match self.store.op(t) {
            Op::Apply(f) if args.is_empty() => {
                let components = self.components(sort);
                if components == [sort] {
                    return vec![t];
                }
                let name = self.store.decl(f).name.clone();
                let stem = name.rsplit_once('!').map_or(&*name, |(stem, _)| stem).to_string();
                components.into_iter().map(|s| self.store.fresh_var(&stem, s)).collect()
            }
            Op::Construct(c) => match self.shape(sort) {
                Shape::Tuple(_) => args.concat(),
                Shape::Flag => vec![self.store.bool(c == 1)],
                Shape::Whole(s) => vec![self.store.construct(s, c, &args.concat())],
                Shape::Array(..) => unreachable!("a constructor makes no array"),
            },
            Op::Field { constructor, field } => {
                let whole = self.store.sort_of(self.store.arg(t, 0));
                let fields = self.store.constructor(whole, constructor).fields.iter();
                let before: Vec<Sort> = fields.take(field as usize).map(|f| f.sort).collect();
                let first: usize = before.into_iter().map(|s| self.components(s).len()).sum();
                let count = self.components(sort).len();
                match self.shape(whole) {
                    Shape::Tuple(_) => args[0][first..first + count].to_vec(),
                    _ => {
                        let select = |i: usize| self.store.field(constructor, i as u32, args[0][0]);
                        (first..first + count).map(select).collect()
                    }
                }
            }
            Op::Is(c) => match self.shape(self.store.sort_of(self.store.arg(t, 0))) {
                Shape::Whole(_) => vec![self.store.is_constructor(c, args[0][0])],
                Shape::Flag if c == 1 => args[0].clone(),
                Shape::Flag => vec![self.store.not(args[0][0])],
                _ => vec![self.store.tru()],
            },
            Op::Eq => {
                let equal = |s: &mut Store, (&a, &b): (&Term, &Term)| s.eq(a, b);
                let pairs = args[0].iter().zip(&args[1]);
                let equalities: Vec<Term> = pairs.map(|p| equal(self.store, p)).collect();
                vec![self.store.and(&equalities)]
            }
            Op::Ite => {
                let choose = |i: usize| self.store.ite(args[0][0], args[1][i], args[2][i]);
                (0..args[1].len()).map(choose).collect()
            }
            Op::Select => {
                let read = |&a: &Term| args[1].iter().fold(a, |a, &i| self.store.select(a, i));
                args[0].iter().map(read).collect()
            }
            Op::Store => {
                let write = |(&a, &v): (&Term, &Term)| nested_write(self.store, a, &args[1], v);
                args[0].iter().zip(&args[2]).map(write).collect()
            }
            Op::ConstArray => {
                let (index, _) = self.store.array_sorts(sort).expect("an array term");
                let indices = self.components(index);
                let constant = |&v: &Term| {
                    indices.iter().rev().fold(v, |v, &i| {
                        let array = self.store.array_sort(i, self.store.sort_of(v));
                        self.store.const_array(array, v)
                    })
                };
                args[0].iter().map(constant).collect()
            }
            _ => {
                let args: Vec<Term> = args.into_iter().flatten().collect();
                vec![self.store.rebuild(t, &args)]
            }
        }
    }
}

/// A write of nested arrays, one for each component of the index.
fn nested_write(store: &mut Store, array: Term, indices: &[Term], value: Term) -> Term {
    // The rows that lead to the element, the outermost first.
    let mut rows = vec![array];
    for &i in indices {
        let row = rows[rows.len() - 1];
        rows.push(store.select(row, i));
    }
    let mut value = value;
    for (&row, &i) in rows.iter().zip(indices).rev() {
        value = store.store(row, i, value);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use bolide_smtlib::print_term;
    use bolide_term::{Sort, Store};

    #[test]
    fn tuples_and_arrays_of_tuples_disappear() {
        let text = "(declare-datatypes ((P 0) (E 0)) (((mk (x Int) (on E))) ((no) (yes))))
            (declare-datatypes ((L 0)) (((nil) (cons (head P) (tail L)))))
            (declare-fun p (P (Array P Int) (Array Int P) L) Bool)
            (assert (forall ((a P) (m (Array P Int)) (s (Array Int P)) (l L))
              (=> (and (= (on a) yes) (= (select m a) 3) (= (x (select s 1)) 2) (= l (cons a nil)))
                  (p a (store m a 4) (store s 0 a) l))))";
        let mut store = Store::new();
        let problem = read(text.as_bytes(), &mut store).unwrap();
        let sorts: Vec<Sort> = problem.horn.preds[0].params.iter().map(|&v| store.sort_of(v)).collect();
        assert_eq!(sorts.len(), 6);
        assert!(sorts[..2] == [Sort::INT, Sort::BOOL]);
        let clause = &problem.horn.clauses[0];
        let head = clause.head.as_ref().unwrap();
        let shown = print_term(&store, head.args[3]).to_string();
        assert!(shown.starts_with("(store "), "{shown}");
        let list = store.datatype(sorts[5]).unwrap();
        assert_eq!(list.constructors[1].fields.len(), 3);
        let constraint = print_term(&store, clause.constraint).to_string();
        assert!(constraint.contains("(cons ") && !constraint.contains("mk"), "{constraint}");
    }
}
