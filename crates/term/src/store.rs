//! The store: interning of sorts, symbols, numerals and terms.

use crate::{Func, FuncDecl, NumId, Op, Sort, SortKind, Term};
use bolide_base::Rational;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// One interned node. Arguments live in one pool shared by all nodes.
#[derive(Copy, Clone, Debug)]
struct Node {
    op: Op,
    sort: Sort,
    first_arg: u32,
    num_args: u32,
}

/// The term store: owns every sort, symbol, numeral and term of a task.
///
/// Cloning a store gives an independent copy in which all existing terms keep their indices.
#[derive(Clone, Debug)]
pub struct Store {
    nodes: Vec<Node>,
    args: Vec<Term>,
    interned: HashTable<Term>,
    sorts: Vec<SortKind>,
    sort_ids: FxHashMap<SortKind, Sort>,
    funcs: Vec<FuncDecl>,
    func_ids: FxHashMap<FuncDecl, Func>,
    fresh: u32,
    nums: Vec<Rational>,
    num_ids: FxHashMap<Rational, NumId>,
    tru: Term,
    fls: Term,
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

impl Store {
    /// An empty store that knows the sorts Bool, Int and Real and the truth constants.
    pub fn new() -> Store {
        let mut s = Store {
            nodes: Vec::new(),
            args: Vec::new(),
            interned: HashTable::new(),
            sorts: Vec::new(),
            sort_ids: FxHashMap::default(),
            funcs: Vec::new(),
            func_ids: FxHashMap::default(),
            fresh: 0,
            nums: Vec::new(),
            num_ids: FxHashMap::default(),
            tru: Term(0),
            fls: Term(1),
        };
        for kind in [SortKind::Bool, SortKind::Int, SortKind::Real] {
            s.sort(kind);
        }
        s.tru = s.intern(Op::True, Sort::BOOL, &[]);
        s.fls = s.intern(Op::False, Sort::BOOL, &[]);
        s
    }

    /// The node with this operator and these arguments, made if it is new. No simplification.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let Store { nodes, args: pool, interned, .. } = self;
        let node_args = |nodes: &[Node], pool: &[Term], t: Term| -> (usize, usize) {
            let n = &nodes[t.index()];
            let _ = pool;
            (n.first_arg as usize, n.first_arg as usize + n.num_args as usize)
        };
        let hash = hash_node(op, sort, args);
        let found = interned.find(hash, |&t| {
            let n = &nodes[t.index()];
            n.op == op && n.sort == sort && {
                let (from, to) = node_args(nodes, pool, t);
                &pool[from..to] == args
            }
        });
        if let Some(&t) = found {
            return t;
        }
        let t = Term::from_index(nodes.len());
        let first_arg = u32::try_from(pool.len()).expect("more than 2^32 term arguments");
        pool.extend_from_slice(args);
        nodes.push(Node { op, sort, first_arg, num_args: args.len() as u32 });
        interned.insert_unique(hash, t, |&u| {
            let (from, to) = node_args(nodes, pool, u);
            let n = &nodes[u.index()];
            hash_node(n.op, n.sort, &pool[from..to])
        });
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
            + self.args.capacity() * size_of::<Term>()
            + self.interned.allocation_size()
            + self.nums.capacity() * size_of::<Rational>()
            + self.funcs.capacity() * size_of::<FuncDecl>()
    }

    /// The operator at the root of a term.
    #[inline]
    pub fn op(&self, t: Term) -> Op {
        self.nodes[t.index()].op
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, t: Term) -> &[Term] {
        let n = &self.nodes[t.index()];
        &self.args[n.first_arg as usize..n.first_arg as usize + n.num_args as usize]
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
                SortKind::Bool | SortKind::BitVec(_) | SortKind::Uninterpreted(_) => {}
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
    fn has_two_values(&self, mut sort: Sort) -> bool {
        while let SortKind::Array(_, e) = self.sorts[sort.index()] {
            sort = e;
        }
        !matches!(self.sorts[sort.index()], SortKind::Uninterpreted(_))
    }

    /// The symbol with this name and signature, made if it is new.
    pub fn func(&mut self, name: &str, args: &[Sort], result: Sort) -> Func {
        let decl = FuncDecl { name: name.into(), args: args.into(), result };
        if let Some(&f) = self.func_ids.get(&decl) {
            return f;
        }
        let f = Func::from_index(self.funcs.len());
        self.funcs.push(decl.clone());
        self.func_ids.insert(decl, f);
        f
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
            let decl = FuncDecl { name: name.as_str().into(), args: Box::default(), result: sort };
            if !self.func_ids.contains_key(&decl) {
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
        if let Some(&n) = self.num_ids.get(&value) {
            return n;
        }
        let n = NumId(self.nums.len() as u32);
        self.nums.push(value.clone());
        self.num_ids.insert(value, n);
        n
    }

    /// The value of an interned numeral.
    pub fn num_value(&self, n: NumId) -> &Rational {
        &self.nums[n.0 as usize]
    }

    /// The value of a term that is an Int or Real numeral.
    pub fn as_num(&self, t: Term) -> Option<&Rational> {
        match self.op(t) {
            Op::Num(n) => Some(&self.nums[n.0 as usize]),
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
