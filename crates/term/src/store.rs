//! The store: interning of sorts, symbols, numerals and terms.

use crate::{Datatype, Func, FuncDecl, Linear, NumId, Op, Sort, SortKind, Term};
use bolide_base::{HashIndex, Rational};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// So many arguments are kept in the node itself.
const INLINE_ARGS: usize = 2;
/// The term of a numeral at a sort where nobody has asked for it.
const NO_TERM: Term = Term(u32::MAX);

/// Numerals below this are found without hashing.
const SMALL_NUMERALS: usize = 1024;

/// One interned node.
#[derive(Copy, Clone, Debug)]
struct Node {
    op: Op,
    sort: Sort,
    num_args: u32,
    /// The arguments if there are at most two; otherwise the first one holds the position of all of them in the pool.
    args: [Term; INLINE_ARGS],
}

impl Node {
    #[inline]
    fn args<'a>(&'a self, pool: &'a [Term]) -> &'a [Term] {
        let count = self.num_args as usize;
        if count <= INLINE_ARGS {
            &self.args[..count]
        } else {
            let first = self.args[0].index();
            &pool[first..first + count]
        }
    }
}

/// An interned numeral with its terms as an Int and as a Real.
#[derive(Clone, Debug)]
struct Numeral {
    value: Rational,
    terms: [Term; 2],
}

/// Terms are spread over tables by the largest of their arguments, so many arguments to a table.
const ARGS_PER_TABLE_LOG: u32 = 12;

/// Finds terms by their contents.
///
/// A term that is built was, more often than not, built from terms of a moment ago. So there is a table for each run of
/// consecutive terms, and a term lives in the table of the run that its largest argument belongs to: the few tables in
/// use at a time fit into the cache, where one table for everything would be missed at each new term.
#[derive(Clone, Debug, Default)]
struct Interned {
    /// The terms without arguments.
    leaves: HashIndex,
    /// The terms whose largest argument is of run `n`, for each run.
    by_run: Vec<HashIndex>,
}

impl Interned {
    #[inline]
    fn run(largest: Term) -> usize {
        largest.index() >> ARGS_PER_TABLE_LOG
    }

    /// The table that a term with these arguments lives in, if it exists.
    #[inline]
    fn table(&self, args: &[Term]) -> Option<&HashIndex> {
        match args.iter().max() {
            None => Some(&self.leaves),
            Some(&largest) => self.by_run.get(Interned::run(largest)),
        }
    }

    fn insert(&mut self, args: &[Term], hash: u64, position: u32) {
        let table = match args.iter().max() {
            None => &mut self.leaves,
            Some(&largest) => {
                let run = Interned::run(largest);
                if run >= self.by_run.len() {
                    self.by_run.resize_with(run + 1, HashIndex::default);
                }
                &mut self.by_run[run]
            }
        };
        table.insert(hash, position);
    }

    fn memory(&self) -> usize {
        self.leaves.memory()
            + self.by_run.iter().map(HashIndex::memory).sum::<usize>()
            + self.by_run.capacity() * size_of::<HashIndex>()
    }
}

/// The term store: owns every sort, symbol, numeral and term of a task.
///
/// Cloning a store gives an independent copy in which all existing terms keep their indices.
#[derive(Clone, Debug)]
pub struct Store {
    nodes: Vec<Node>,
    /// Arguments of the nodes that have more than two.
    pool: Vec<Term>,
    interned: Interned,
    pub(crate) sorts: Vec<SortKind>,
    sort_ids: FxHashMap<SortKind, Sort>,
    pub(crate) datatypes: Vec<Datatype>,
    /// `RoundingMode`, once it was asked for.
    pub(crate) rounding_modes: Option<Sort>,
    funcs: Vec<FuncDecl>,
    func_ids: HashIndex,
    fresh: u32,
    nums: Vec<Numeral>,
    num_ids: HashIndex,
    /// The numerals from zero up to [`SMALL_NUMERALS`], as far as they are known: most are among them.
    small_nums: Vec<Option<NumId>>,
    tru: Term,
    fls: Term,
    /// Memory for the linear expressions that constructors work with; always empty.
    scratch: Vec<(Term, Rational)>,
}

impl Default for Store {
    fn default() -> Self {
        Store::new()
    }
}

fn hash_node(op: Op, sort: Sort, args: &[Term]) -> u64 {
    let mut h = FxHasher::default();
    op.hash(&mut h);
    h.write_u32(sort.0);
    for a in args {
        h.write_u32(a.0);
    }
    h.finish()
}

fn hash_decl(name: &str, args: &[Sort], result: Sort) -> u64 {
    let mut h = FxHasher::default();
    (name, args, result).hash(&mut h);
    h.finish()
}

/// Makes room for more elements, by half of what is there instead of as much again: stores are large.
fn make_room<T>(elements: &mut Vec<T>, count: usize) {
    if elements.capacity() - elements.len() < count {
        elements.reserve_exact(count.max(elements.len() / 2).max(16));
    }
}

impl Store {
    /// An empty store that knows the sorts Bool, Int and Real and the truth constants.
    pub fn new() -> Store {
        let mut s = Store {
            nodes: Vec::new(),
            pool: Vec::new(),
            interned: Interned::default(),
            sorts: Vec::new(),
            sort_ids: FxHashMap::default(),
            datatypes: Vec::new(),
            rounding_modes: None,
            funcs: Vec::new(),
            func_ids: HashIndex::default(),
            fresh: 0,
            nums: Vec::new(),
            num_ids: HashIndex::default(),
            small_nums: vec![None; SMALL_NUMERALS],
            tru: Term(0),
            fls: Term(1),
            scratch: Vec::new(),
        };
        for kind in [SortKind::Bool, SortKind::Int, SortKind::Real] {
            s.sort(kind);
        }
        s.tru = s.intern(Op::True, Sort::BOOL, &[]);
        s.fls = s.intern(Op::False, Sort::BOOL, &[]);
        s
    }

    /// The term with this operator, sort and arguments, if there is one as it stands.
    pub fn existing(&self, op: Op, sort: Sort, args: &[Term]) -> Option<Term> {
        self.find(hash_node(op, sort, args), op, sort, args)
    }

    /// The term with this operator, sort and arguments as they stand, made if it is new: for proofs that are read, in which terms
    /// have to be what they were when they were written. The caller has made sure of the sorts. Sums, products, divisions
    /// and comparisons of numbers must have the normal forms that their constructors give them.
    pub fn as_written(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        debug_assert!(!matches!(op, Op::Add | Op::Mul | Op::Le | Op::Div | Op::Mod | Op::RealDiv));
        self.intern(op, sort, args)
    }

    fn find(&self, hash: u64, op: Op, sort: Sort, args: &[Term]) -> Option<Term> {
        let is_it = |t: u32| {
            let node = &self.nodes[t as usize];
            node.op == op && node.sort == sort && node.args(&self.pool) == args
        };
        self.interned.table(args).and_then(|table| table.find(hash, is_it)).map(Term)
    }

    /// The node with this operator and these arguments, made if it is new. No simplification.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        bolide_base::spend(1);
        let hash = hash_node(op, sort, args);
        if let Some(t) = self.find(hash, op, sort, args) {
            return t;
        }
        let t = Term::from_index(self.nodes.len());
        let inline = match *args {
            [] => [NO_TERM; 2],
            [a] => [a, NO_TERM],
            [a, b] => [a, b],
            _ => {
                let first = Term::from_index(self.pool.len());
                make_room(&mut self.pool, args.len());
                self.pool.extend_from_slice(args);
                [first, NO_TERM]
            }
        };
        make_room(&mut self.nodes, 1);
        self.nodes.push(Node { op, sort, num_args: args.len() as u32, args: inline });
        self.interned.insert(args, hash, t.0);
        t
    }

    /// Builds a term by way of a linear expression, which is zero at first.
    pub(crate) fn with_linear(&mut self, build: impl FnOnce(&mut Store, &mut Linear) -> Term) -> Term {
        let terms = std::mem::take(&mut self.scratch);
        let mut l = Linear { constant: Rational::ZERO, terms };
        let t = build(self, &mut l);
        l.terms.clear();
        self.scratch = l.terms;
        t
    }

    /// Number of terms made so far; every [`Term::index`] is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the truth constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes held by the store, for statistics and memory limits.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.pool.capacity() * size_of::<Term>()
            + self.interned.memory()
            + self.nums.capacity() * size_of::<Numeral>()
            + self.num_ids.memory()
            + self.funcs.capacity() * size_of::<FuncDecl>()
            + self.func_ids.memory()
    }

    /// The operator at the root of a term.
    #[inline]
    pub fn op(&self, t: Term) -> Op {
        self.nodes[t.index()].op
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, t: Term) -> &[Term] {
        self.nodes[t.index()].args(&self.pool)
    }

    /// The `i`-th argument of a term.
    #[inline]
    pub fn arg(&self, t: Term, i: usize) -> Term {
        self.args(t)[i]
    }

    /// The sort of a term.
    #[inline]
    pub fn sort_of(&self, t: Term) -> Sort {
        self.nodes[t.index()].sort
    }

    /// The sort with this description.
    pub fn sort(&mut self, kind: SortKind) -> Sort {
        if let Some(&s) = self.sort_ids.get(&kind) {
            return s;
        }
        let s = Sort(self.sorts.len() as u32);
        self.sorts.push(kind.clone());
        self.sort_ids.insert(kind, s);
        s
    }

    /// What a sort is.
    pub fn sort_kind(&self, s: Sort) -> &SortKind {
        &self.sorts[s.index()]
    }

    /// `Bool`.
    pub fn bool_sort(&self) -> Sort {
        Sort::BOOL
    }

    /// `Int`.
    pub fn int_sort(&self) -> Sort {
        Sort::INT
    }

    /// `Real`.
    pub fn real_sort(&self) -> Sort {
        Sort::REAL
    }

    /// `(_ BitVec width)`; the width must be positive.
    pub fn bv_sort(&mut self, width: u32) -> Sort {
        assert!(width > 0, "a bit-vector has at least one bit");
        self.sort(SortKind::BitVec(width))
    }

    /// `(Array index element)`.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        self.sort(SortKind::Array(index, element))
    }

    /// The uninterpreted sort of this name.
    pub fn uninterpreted_sort(&mut self, name: &str) -> Sort {
        self.sort(SortKind::Uninterpreted(name.into()))
    }

    /// The width of a bit-vector term or sort; `None` for other sorts.
    pub fn bv_width(&self, s: Sort) -> Option<u32> {
        match self.sorts[s.index()] {
            SortKind::BitVec(w) => Some(w),
            _ => None,
        }
    }

    /// The width of a term that is known to be a bit-vector.
    pub(crate) fn width(&self, t: Term) -> u32 {
        self.bv_width(self.sort_of(t)).expect("a bit-vector term")
    }

    /// Index and element sort of an array sort.
    pub fn array_sorts(&self, s: Sort) -> Option<(Sort, Sort)> {
        match self.sorts[s.index()] {
            SortKind::Array(i, e) => Some((i, e)),
            _ => None,
        }
    }

    /// Are there infinitely many values of a sort in every model? An uninterpreted sort may have a single one.
    pub fn is_infinite(&self, sort: Sort) -> bool {
        // Arrays are if their elements are, or if their indices are and there are two elements to choose from.
        let mut todo = vec![sort];
        while let Some(s) = todo.pop() {
            match self.sorts[s.index()] {
                SortKind::Bool | SortKind::BitVec(_) | SortKind::Float(_) | SortKind::Uninterpreted(_) => {}
                SortKind::Datatype(_) if self.datatype_is_infinite(s) => return true,
                SortKind::Datatype(_) => {}
                SortKind::Int | SortKind::Real => return true,
                SortKind::Array(i, e) => {
                    todo.push(e);
                    if self.has_two_values(e) {
                        todo.push(i);
                    }
                }
            }
        }
        false
    }

    /// Are there at least two values of a sort in every model?
    pub(crate) fn has_two_values(&self, mut sort: Sort) -> bool {
        while let SortKind::Array(_, e) = self.sorts[sort.index()] {
            sort = e;
        }
        match self.sorts[sort.index()] {
            SortKind::Uninterpreted(_) => false,
            SortKind::Datatype(_) => self.datatype_has_two_values(sort),
            _ => true,
        }
    }

    /// The symbol with this name and signature, made if it is new.
    pub fn func(&mut self, name: &str, args: &[Sort], result: Sort) -> Func {
        let hash = hash_decl(name, args, result);
        if let Some(f) = self.find_func(hash, name, args, result) {
            return f;
        }
        let f = Func::from_index(self.funcs.len());
        self.funcs.push(FuncDecl { name: name.into(), args: args.into(), result });
        self.func_ids.insert(hash, f.0);
        f
    }

    fn find_func(&self, hash: u64, name: &str, args: &[Sort], result: Sort) -> Option<Func> {
        let found = self.func_ids.find(hash, |f| {
            let decl = &self.funcs[f as usize];
            *decl.name == *name && *decl.args == *args && decl.result == result
        });
        found.map(Func)
    }

    /// Name and signature of a symbol.
    pub fn decl(&self, f: Func) -> &FuncDecl {
        &self.funcs[f.index()]
    }

    /// Number of symbols; every [`Func::index`] is below it.
    pub fn num_funcs(&self) -> usize {
        self.funcs.len()
    }

    /// The constant with this name and sort, made if it is new.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        let f = self.func(name, &[], sort);
        self.apply(f, &[])
    }

    /// A constant whose name nobody has used: `prefix` with a number after a `!`.
    pub fn fresh_var(&mut self, prefix: &str, sort: Sort) -> Term {
        loop {
            let name = format!("{prefix}!{}", self.fresh);
            self.fresh += 1;
            if self.find_func(hash_decl(&name, &[], sort), &name, &[], sort).is_none() {
                return self.var(&name, sort);
            }
        }
    }

    /// A symbol applied to arguments of the declared sorts.
    pub fn apply(&mut self, f: Func, args: &[Term]) -> Term {
        debug_assert_eq!(self.funcs[f.index()].args.len(), args.len());
        debug_assert!(
            args.iter().zip(self.funcs[f.index()].args.iter()).all(|(&a, &s)| self.sort_of(a) == s),
            "ill-sorted application of {}",
            self.funcs[f.index()].name
        );
        let result = self.funcs[f.index()].result;
        self.intern(Op::Apply(f), result, args)
    }

    /// The symbol of a constant, if the term is one.
    pub fn as_var(&self, t: Term) -> Option<Func> {
        match self.op(t) {
            Op::Apply(f) if self.nodes[t.index()].num_args == 0 => Some(f),
            _ => None,
        }
    }

    /// The interned numeral of this value.
    pub(crate) fn num_id(&mut self, value: Rational) -> NumId {
        let small = value.to_i64().and_then(|n| usize::try_from(n).ok()).filter(|&n| n < SMALL_NUMERALS);
        let Some(small) = small else { return self.hashed_num_id(value) };
        match self.small_nums[small] {
            Some(n) => n,
            None => {
                let n = self.hashed_num_id(value);
                self.small_nums[small] = Some(n);
                n
            }
        }
    }

    fn hashed_num_id(&mut self, value: Rational) -> NumId {
        let mut h = FxHasher::default();
        value.hash(&mut h);
        let hash = h.finish();
        if let Some(n) = self.num_ids.find(hash, |n| self.nums[n as usize].value == value) {
            return NumId(n);
        }
        let n = NumId(self.nums.len() as u32);
        make_room(&mut self.nums, 1);
        self.nums.push(Numeral { value, terms: [NO_TERM; 2] });
        self.num_ids.insert(hash, n.0);
        n
    }

    /// The term of an interned numeral at Int or Real.
    pub(crate) fn num_term(&mut self, n: NumId, sort: Sort) -> Term {
        let kind = usize::from(sort == Sort::REAL);
        let known = self.nums[n.0 as usize].terms[kind];
        if known != NO_TERM {
            return known;
        }
        let term = self.intern(Op::Num(n), sort, &[]);
        self.nums[n.0 as usize].terms[kind] = term;
        term
    }

    /// The value of an interned numeral.
    pub fn num_value(&self, n: NumId) -> &Rational {
        &self.nums[n.0 as usize].value
    }

    /// The value of a term that is an Int or Real numeral.
    pub fn as_num(&self, t: Term) -> Option<&Rational> {
        match self.op(t) {
            Op::Num(n) => Some(self.num_value(n)),
            _ => None,
        }
    }

    /// `true`.
    #[inline]
    pub fn tru(&self) -> Term {
        self.tru
    }

    /// `false`.
    #[inline]
    pub fn fls(&self) -> Term {
        self.fls
    }

    /// `(forall (vars) body)`; the bound variables are ordinary constants that occur nowhere else.
    pub fn forall(&mut self, vars: &[Term], body: Term) -> Term {
        self.quantify(Op::Forall, vars, body)
    }

    /// `(exists (vars) body)`; the bound variables are ordinary constants that occur nowhere else.
    pub fn exists(&mut self, vars: &[Term], body: Term) -> Term {
        self.quantify(Op::Exists, vars, body)
    }

    fn quantify(&mut self, op: Op, vars: &[Term], body: Term) -> Term {
        if vars.is_empty() || body == self.tru || body == self.fls {
            return body;
        }
        let mut args = vars.to_vec();
        args.push(body);
        self.intern(op, Sort::BOOL, &args)
    }
}
