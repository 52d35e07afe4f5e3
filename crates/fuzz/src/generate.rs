//! Generators: theories, the symbols of a problem, and problems of every kind.

mod arrays;
mod boolean;
mod datatypes;
mod floats;
mod numbers;
mod path;
mod problem;
mod words;

use crate::Random;
use crate::syntax::{Declaration, Expr, Script, Ty};

/// What a theory (or combination) may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Theory {
    /// Its name on the command line.
    pub name: &'static str,
    /// Integers.
    pub ints: bool,
    /// Reals; with integers, the conversions between them too.
    pub reals: bool,
    /// Bit-vectors; with integers, the conversions between them too.
    pub words: bool,
    /// Uninterpreted sorts.
    pub free: bool,
    /// Uninterpreted functions and predicates.
    pub functions: bool,
    /// Arrays.
    pub arrays: bool,
    /// Datatypes.
    pub datatypes: bool,
    /// Products of terms and divisions by terms.
    pub products: bool,
    /// Floating-point numbers.
    pub floats: bool,
}

const NONE: Theory = Theory {
    name: "bool",
    ints: false,
    reals: false,
    words: false,
    free: false,
    functions: false,
    arrays: false,
    datatypes: false,
    products: false,
    floats: false,
};

/// All theories that the generators know.
pub const THEORIES: &[Theory] = &[
    NONE,
    Theory { name: "lra", reals: true, ..NONE },
    Theory { name: "lia", ints: true, ..NONE },
    Theory { name: "lira", ints: true, reals: true, ..NONE },
    Theory { name: "euf", free: true, functions: true, ..NONE },
    Theory { name: "arrays", ints: true, free: true, arrays: true, ..NONE },
    Theory { name: "bv", words: true, ..NONE },
    Theory { name: "uflia", ints: true, functions: true, ..NONE },
    Theory { name: "uflra", reals: true, functions: true, ..NONE },
    Theory { name: "auflia", ints: true, functions: true, arrays: true, ..NONE },
    Theory { name: "ufbv", words: true, functions: true, ..NONE },
    Theory { name: "abv", words: true, arrays: true, ..NONE },
    Theory { name: "libv", ints: true, words: true, ..NONE },
    Theory { name: "dt", datatypes: true, ..NONE },
    Theory { name: "dtlia", ints: true, datatypes: true, ..NONE },
    Theory { name: "dtlra", reals: true, datatypes: true, ..NONE },
    Theory { name: "dtbv", words: true, datatypes: true, ..NONE },
    Theory { name: "ufdt", free: true, functions: true, datatypes: true, ..NONE },
    Theory { name: "ufdtlia", ints: true, functions: true, datatypes: true, ..NONE },
    Theory { name: "adtlia", ints: true, arrays: true, datatypes: true, ..NONE },
    Theory { name: "nia", ints: true, products: true, ..NONE },
    Theory { name: "nra", reals: true, products: true, ..NONE },
    Theory { name: "fp", floats: true, ..NONE },
    Theory { name: "bvfp", floats: true, words: true, ..NONE },
    Theory { name: "abvfp", floats: true, words: true, arrays: true, ..NONE },
    Theory { name: "uffp", floats: true, functions: true, ..NONE },
    Theory {
        name: "everything",
        ints: true,
        reals: true,
        words: true,
        free: true,
        functions: true,
        arrays: true,
        datatypes: true,
        products: false,
        floats: false,
    },
];

/// The theories of a name; `all` is every one.
pub fn theories(name: &str) -> Option<Vec<Theory>> {
    if name == "all" {
        return Some(THEORIES.to_vec());
    }
    THEORIES.iter().find(|t| t.name == name).map(|&t| vec![t])
}

/// A problem in the making.
pub(crate) struct Maker {
    pub rng: Random,
    pub theory: Theory,
    pub script: Script,
    /// Sorts of values, Bool not among them.
    palette: Vec<Ty>,
    /// Array sorts.
    array_sorts: Vec<Ty>,
    /// Terms that may be used again.
    pool: Vec<Expr>,
    /// Are pooled terms and definitions wanted?
    sharing: bool,
    /// Are constants small, so that they coincide often?
    small: bool,
}

impl Maker {
    pub fn new(theory: Theory, seed: u64) -> Maker {
        let mut rng = Random::new(seed);
        let sharing = !rng.one_in(3);
        let small = !rng.one_in(4);
        let mut maker = Maker {
            rng,
            theory,
            script: Script::default(),
            palette: Vec::new(),
            array_sorts: Vec::new(),
            pool: Vec::new(),
            sharing,
            small,
        };
        maker.choose_sorts();
        maker
    }

    fn choose_sorts(&mut self) {
        let Theory { ints, reals, words, free, arrays, .. } = self.theory;
        if ints {
            self.palette.push(Ty::Int);
        }
        if reals {
            self.palette.push(Ty::Real);
        }
        if words {
            for _ in 0..1 + self.rng.below(2) {
                let width = if self.rng.one_in(25) { 32 } else { 1 + self.rng.below(8) as u32 };
                let width = if ints { width.min(5) } else { width };
                if !self.palette.contains(&Ty::Bv(width)) {
                    self.palette.push(Ty::Bv(width));
                }
            }
        }
        if free {
            self.script.sorts = if self.rng.one_in(4) { 2 } else { 1 };
            self.palette.extend((0..self.script.sorts).map(Ty::Free));
        }
        self.choose_floats();
        self.choose_datatypes();
        if arrays {
            for _ in 0..1 + self.rng.below(2) {
                let sort = self.array_sort();
                if !self.array_sorts.contains(&sort) {
                    self.array_sorts.push(sort);
                }
            }
        }
    }

    fn array_sort(&mut self) -> Ty {
        let index = match self.rng.below(16) {
            0 => Ty::Bool,
            _ => self.value_sort(),
        };
        let element = match self.rng.below(12) {
            0 => Ty::Bool,
            1 => match self.array_sorts.first() {
                Some(inner) => inner.clone(),
                None => Ty::array(self.value_sort(), self.value_sort()),
            },
            _ => self.value_sort(),
        };
        Ty::array(index, element)
    }

    /// A sort of values that is neither Bool nor an array.
    fn value_sort(&mut self) -> Ty {
        self.rng.choose(&self.palette).cloned().unwrap_or(Ty::Bool)
    }

    /// Any sort that the problem has.
    fn any_sort(&mut self) -> Ty {
        let n = self.palette.len() + self.array_sorts.len();
        match self.rng.below(n + 1) {
            0 => Ty::Bool,
            k if k <= self.palette.len() => self.palette[k - 1].clone(),
            k => self.array_sorts[k - 1 - self.palette.len()].clone(),
        }
    }

    pub fn declare(&mut self, name: String, args: Vec<Ty>, result: Ty) {
        self.script.declarations.push(Declaration { name, args, result });
    }

    /// Declares variables of every sort, and functions if the theory has them.
    fn declare_symbols(&mut self) {
        let bools = if self.palette.is_empty() { 3 + self.rng.below(6) } else { self.rng.below(3) };
        for n in 0..bools {
            self.declare(format!("p{n}"), Vec::new(), Ty::Bool);
        }
        let sorts: Vec<Ty> = self.palette.iter().chain(&self.array_sorts).cloned().collect();
        for (k, sort) in sorts.iter().enumerate() {
            let letter = match sort {
                Ty::Int => "x",
                Ty::Real => "r",
                Ty::Bv(_) => "b",
                Ty::Array(..) => "a",
                Ty::Data(_) => "t",
                Ty::Float(..) => "y",
                Ty::Mode => "m",
                _ => "u",
            };
            for n in 0..2 + self.rng.below(3) {
                self.declare(format!("{letter}{k}{n}"), Vec::new(), sort.clone());
            }
        }
        self.declare_functions();
    }

    fn declare_functions(&mut self) {
        if !self.theory.functions {
            return;
        }
        for n in 0..1 + self.rng.below(3) {
            let count = 1 + self.rng.below(2);
            let args = (0..count).map(|_| self.argument_sort()).collect();
            let result = if self.rng.one_in(4) { Ty::Bool } else { self.value_sort() };
            self.declare(format!("f{n}"), args, result);
        }
    }

    fn argument_sort(&mut self) -> Ty {
        match self.rng.below(10) {
            0 => Ty::Bool,
            1 => self.rng.choose(&self.array_sorts).cloned().unwrap_or(Ty::Bool),
            _ => self.value_sort(),
        }
    }

    /// A term of a sort, at most so deep.
    pub fn term(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.sharing
            && depth > 0
            && self.rng.one_in(6)
            && let Some(t) = self.pooled(ty)
        {
            return t;
        }
        let t = if depth == 0 { self.leaf(ty) } else { self.compound(ty, depth - 1) };
        if self.sharing && t.size() > 2 && t.size() < 60 {
            self.remember(t.clone());
        }
        t
    }

    fn pooled(&mut self, ty: &Ty) -> Option<Expr> {
        let fitting: Vec<&Expr> = self.pool.iter().filter(|t| t.ty() == ty).collect();
        self.rng.choose(&fitting).map(|&t| t.clone())
    }

    /// Puts a term into the pool, sometimes under a name of its own.
    fn remember(&mut self, t: Expr) {
        if self.pool.len() >= 30 {
            let n = self.rng.below(self.pool.len());
            self.pool.swap_remove(n);
        }
        let t = if self.script.definitions.len() < 6 && self.rng.one_in(12) {
            let name = format!("d{}", self.script.definitions.len());
            let named = Expr::leaf(t.ty().clone(), name.clone());
            self.script.definitions.push((name, t));
            named
        } else {
            t
        };
        self.pool.push(t);
    }

    /// A variable of a sort.
    pub fn variable(&mut self, ty: &Ty) -> Option<Expr> {
        let of_sort = |d: &&Declaration| d.args.is_empty() && d.result == *ty;
        let fitting: Vec<&Declaration> = self.script.declarations.iter().filter(of_sort).collect();
        self.rng.choose(&fitting).map(|d| Expr::leaf(ty.clone(), d.name.clone()))
    }

    /// A variable or a constant.
    pub fn leaf(&mut self, ty: &Ty) -> Expr {
        let constants = match ty {
            Ty::Bool => 12,
            Ty::Free(_) => 1000,
            Ty::Array(..) | Ty::Data(_) => 10,
            _ => 4,
        };
        if !self.rng.one_in(constants)
            && let Some(v) = self.variable(ty)
        {
            return v;
        }
        self.constant(ty)
    }

    /// A constant; for an uninterpreted sort a variable.
    pub fn constant(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Bool if self.rng.one_in(2) => Expr::leaf(Ty::Bool, "true"),
            Ty::Bool => Expr::leaf(Ty::Bool, "false"),
            Ty::Int => self.integer(),
            Ty::Real => self.real(),
            Ty::Bv(w) => self.word(*w),
            Ty::Float(e, s) => self.float(*e, *s),
            Ty::Mode => Expr::leaf(Ty::Mode, self.word_of(&["RNE", "RNA", "RTP", "RTN", "RTZ"])),
            Ty::Data(n) => self.construction(*n, 0),
            Ty::Array(_, e) => {
                let element = self.leaf(e);
                Expr::new(ty.clone(), format!("(as const {ty})"), vec![element])
            }
            Ty::Free(n) => match self.variable(ty) {
                Some(v) => v,
                None => {
                    let name = format!("u{n}");
                    self.declare(name.clone(), Vec::new(), ty.clone());
                    Expr::leaf(ty.clone(), name)
                }
            },
        }
    }

    /// A term with an operator at its root whose arguments are at most so deep.
    fn compound(&mut self, ty: &Ty, depth: usize) -> Expr {
        match self.rng.below(12) {
            0 => return self.leaf(ty),
            1 | 2 => {
                if let Some(t) = self.application(ty, depth) {
                    return t;
                }
            }
            3 => {
                if let Some(t) = self.read(ty, depth) {
                    return t;
                }
            }
            4 => return self.choice(ty, depth),
            5 => {
                if let Some(t) = self.selection(ty, depth) {
                    return t;
                }
            }
            _ => {}
        }
        match ty {
            Ty::Bool => self.formula(depth),
            Ty::Int => self.integer_term(depth),
            Ty::Real => self.real_term(depth),
            Ty::Bv(w) => self.word_term(*w, depth),
            Ty::Float(e, s) => self.float_term(*e, *s, depth),
            Ty::Mode => self.leaf(ty),
            Ty::Array(..) => self.array_term(ty, depth),
            Ty::Data(n) => match self.rng.below(3) {
                0 => self.selection(ty, depth).unwrap_or_else(|| self.leaf(ty)),
                _ => self.construction(*n, depth),
            },
            Ty::Free(_) => match self.application(ty, depth) {
                Some(t) => t,
                None => self.leaf(ty),
            },
        }
    }

    fn choice(&mut self, ty: &Ty, depth: usize) -> Expr {
        let c = self.term(&Ty::Bool, depth);
        let (a, b) = (self.term(ty, depth), self.term(ty, depth));
        Expr::new(ty.clone(), "ite", vec![c, a, b])
    }

    fn application(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let of_sort = |d: &&Declaration| !d.args.is_empty() && d.result == *ty;
        let fitting: Vec<&Declaration> = self.script.declarations.iter().filter(of_sort).collect();
        let f = self.rng.choose(&fitting).map(|&d| d.clone())?;
        let args = f.args.iter().map(|a| self.term(a, depth)).collect();
        Some(Expr::new(ty.clone(), f.name, args))
    }

    /// One of these words.
    fn word_of(&mut self, words: &'static [&'static str]) -> &'static str {
        self.rng.choose(words).copied().unwrap_or("")
    }
}

pub use problem::{formula, interpolation_problem, scripted_queries};
