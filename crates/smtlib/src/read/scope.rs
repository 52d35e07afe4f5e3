//! The symbol table.
//!
//! Every symbol that was ever seen has a number, and its name and current meaning stand in a vector under that number.
//! A binder or declaration overwrites the meaning and remembers the old one, so that looking a symbol up costs one hash
//! and leaving a scope costs what entering it did.

use super::builtin::{Builtin, Reserved};
use super::datatypes::{ConstructorRef, Family, Forward};
use super::sort::SortOp;
use bolide_base::HashIndex;
use bolide_term::{DIV_BY_ZERO, FLOAT_UNSPECIFIED, Func, Sort, SortKind, Store, Term};
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::Hasher;

/// Numerals below this are remembered.
const SMALL_NUMERALS: usize = 1024;

/// The number of a symbol.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbol(u32);

/// A symbol that was seen, with what it means in a term now. Short names stand beside their meaning.
#[derive(Clone, Debug)]
struct Entry {
    name: SmallVec<[u8; 16]>,
    meaning: Meaning,
}

/// What a symbol means in a term.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Meaning {
    Unknown,
    Reserved(Reserved),
    Builtin(Builtin),
    /// A declared function with arguments.
    Func(Func),
    /// A declared constant.
    Constant(Func, Term),
    /// The position of a definition with parameters.
    Macro(usize),
    /// A defined constant or a named term.
    Term(Term),
    /// A constructor of a datatype.
    Constructor(ConstructorRef),
    /// A selector: the constructor that it belongs to and the position of its field.
    Selector(ConstructorRef, u32),
    /// Bound by `let`, a quantifier or a parameter list; the number tells binders apart.
    Local(Term, u32),
}

/// What a symbol means in a sort.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum SortMeaning {
    Unknown,
    Known(Sort),
    Array,
    /// A declared sort constructor of this arity, which is not zero.
    Declared(usize),
    /// The position of a sort definition with parameters.
    Template(usize),
    /// The position of a family of datatypes with parameters.
    Datatype(usize),
}

/// A defined function, expanded wherever it is applied.
#[derive(Clone, Debug)]
pub(crate) struct Macro {
    pub(crate) name: Box<str>,
    pub(crate) params: Vec<Term>,
    pub(crate) body: Term,
    /// Variables of quantifiers in the body; every expansion gets its own.
    pub(crate) bound: Vec<Term>,
}

/// A defined sort with parameters.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) arity: usize,
    pub(crate) body: Vec<SortOp>,
}

/// How to take back one declaration.
#[derive(Copy, Clone, Debug)]
enum Undo {
    Term(Symbol, Meaning),
    Sort(Symbol, SortMeaning),
}

/// The symbols that a script has declared, and its assertion levels as far as they concern symbols.
///
/// A scope belongs to one store, or to clones of it.
///
/// The reader updates it while it reads: `push`, `pop` and `reset` open and close declaration levels, and a command
/// that fails leaves it as it was.
#[derive(Clone, Debug)]
pub struct Scope {
    symbols: Vec<Entry>,
    names: HashIndex,
    sorts: Vec<SortMeaning>,
    pub(crate) macros: Vec<Macro>,
    pub(crate) templates: Vec<Template>,
    pub(crate) families: Vec<Family>,
    pub(crate) forward: Forward,
    /// Declarations, oldest first.
    trail: Vec<Undo>,
    /// The length of the trail at every `push`.
    levels: Vec<usize>,
    /// Local bindings in force, with the meaning that each hides.
    locals: Vec<(Symbol, Meaning)>,
    binders: u32,
    /// Names of the constants that stand for bound variables; no declared symbol may have one of them.
    bound: FxHashSet<Box<str>>,
    /// Terms of small numerals, as Int and as Real.
    numerals: Vec<[Option<Term>; 2]>,
    /// Does the logic know no Int, so that numerals are Real?
    pub(crate) numerals_are_real: bool,
    /// Do declarations survive `pop`?
    pub(crate) global_declarations: bool,
}

#[inline]
fn hash_name(name: &str) -> u64 {
    let mut h = FxHasher::default();
    h.write(name.as_bytes());
    h.finish()
}

impl Default for Scope {
    fn default() -> Self {
        Scope::new()
    }
}

impl Scope {
    /// A scope that knows the symbols of the theories only.
    pub fn new() -> Scope {
        let mut scope = Scope {
            symbols: Vec::new(),
            names: HashIndex::default(),
            sorts: Vec::new(),
            macros: Vec::new(),
            templates: Vec::new(),
            families: Vec::new(),
            forward: Forward::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            locals: Vec::new(),
            binders: 0,
            bound: FxHashSet::default(),
            numerals: vec![[None; 2]; SMALL_NUMERALS],
            numerals_are_real: false,
            global_declarations: false,
        };
        for &word in Reserved::ALL {
            let symbol = scope.intern(word.name());
            *scope.meaning_mut(symbol) = Meaning::Reserved(word);
        }
        for &builtin in Builtin::ALL {
            let symbol = scope.intern(builtin.name());
            *scope.meaning_mut(symbol) = Meaning::Builtin(builtin);
        }
        let known = [("Bool", Sort::BOOL), ("Int", Sort::INT), ("Real", Sort::REAL)];
        for (name, meaning) in known.map(|(name, sort)| (name, SortMeaning::Known(sort))) {
            let symbol = scope.intern(name);
            scope.sorts[symbol.0 as usize] = meaning;
        }
        let array = scope.intern("Array");
        scope.sorts[array.0 as usize] = SortMeaning::Array;
        scope
    }

    /// A scope in which every symbol and uninterpreted sort of the store can be used under its own name. Of
    /// several symbols with one name the first counts.
    pub fn of_store(store: &mut Store) -> Scope {
        let mut scope = Scope::new();
        for f in (0..store.num_funcs()).map(Func::from_index) {
            scope.declare(store, f);
        }
        scope
    }

    /// Makes a symbol of the store, and the uninterpreted sorts in its signature, usable under their own names; says
    /// whether the name was free.
    pub fn declare(&mut self, store: &mut Store, f: Func) -> bool {
        let decl = store.decl(f);
        for &sort in decl.args.iter().chain([&decl.result]) {
            self.declare_sorts_in(store, sort);
        }
        let is_division = DIV_BY_ZERO.contains(&&*decl.name) || FLOAT_UNSPECIFIED.contains(&&*decl.name);
        let symbol = self.symbol(&decl.name, true);
        let free = self.is_free(symbol) && !is_division;
        if free {
            self.declare_func(store, symbol, f);
        }
        free
    }

    /// Gives a symbol the meaning of a function symbol of the store.
    pub(crate) fn declare_func(&mut self, store: &mut Store, symbol: Symbol, f: Func) {
        let meaning = if store.decl(f).args.is_empty() {
            Meaning::Constant(f, store.apply(f, &[]))
        } else {
            Meaning::Func(f)
        };
        self.set_meaning(symbol, meaning);
    }

    /// The term of a small numeral, if [`Scope::remember_numeral`] was told.
    #[inline]
    pub(crate) fn small_numeral(&self, value: i64, sort: Sort) -> Option<Term> {
        let i = usize::try_from(value).ok()?;
        self.numerals.get(i)?[usize::from(sort == Sort::REAL)]
    }

    /// Remembers the term of a numeral, if it is small, to save looking it up in the store.
    pub(crate) fn remember_numeral(&mut self, value: i64, sort: Sort, term: Term) {
        if let Ok(i) = usize::try_from(value)
            && let Some(entry) = self.numerals.get_mut(i)
        {
            entry[usize::from(sort == Sort::REAL)] = Some(term);
        }
    }

    /// Makes the datatypes of the store, with their constructors and selectors, usable under their own names.
    pub fn declare_datatypes(&mut self, store: &Store) {
        for sort in store.datatype_sorts() {
            self.declare_sorts_in(store, sort);
        }
    }

    fn declare_sorts_in(&mut self, store: &Store, sort: Sort) {
        let mut seen = FxHashSet::default();
        let mut todo = vec![sort];
        while let Some(sort) = todo.pop() {
            match store.sort_kind(sort) {
                SortKind::Array(index, element) => todo.extend([*index, *element]),
                SortKind::Datatype(_) if seen.insert(sort) => {
                    self.declare_datatype(store, sort);
                    let datatype = store.datatype(sort);
                    let constructors = datatype.map_or(&[][..], |d| &d.constructors);
                    todo.extend(constructors.iter().flat_map(|c| &c.fields).map(|f| f.sort));
                }
                SortKind::Uninterpreted(name) => {
                    let symbol = self.symbol(name, true);
                    if self.sort_meaning(symbol) == SortMeaning::Unknown {
                        self.set_sort(symbol, SortMeaning::Known(sort));
                    }
                }
                _ => {}
            }
        }
    }

    /// The number of a name that was seen before.
    #[inline]
    fn find(&self, name: &str, hash: u64) -> Option<Symbol> {
        self.names.find(hash, |n| self.symbols[n as usize].name[..] == *name.as_bytes()).map(Symbol)
    }

    #[inline]
    fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash_name(name);
        self.find(name, hash).unwrap_or_else(|| self.add_symbol(name, hash))
    }

    fn add_symbol(&mut self, name: &str, hash: u64) -> Symbol {
        let symbol = Symbol(u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols"));
        self.names.insert(hash, symbol.0);
        self.symbols.push(Entry { name: SmallVec::from_slice(name.as_bytes()), meaning: Meaning::Unknown });
        self.sorts.push(SortMeaning::Unknown);
        symbol
    }

    #[inline]
    fn meaning_mut(&mut self, symbol: Symbol) -> &mut Meaning {
        &mut self.symbols[symbol.0 as usize].meaning
    }

    /// The number of a symbol. A quoted reserved word is a different symbol from the word itself.
    #[inline]
    pub(crate) fn symbol(&mut self, name: &str, quoted: bool) -> Symbol {
        let symbol = self.intern(name);
        match self.meaning(symbol) {
            // No other symbol can have a bar in its name.
            Meaning::Reserved(_) if quoted => self.intern(&format!("|{name}|")),
            _ => symbol,
        }
    }

    #[inline]
    pub(crate) fn meaning(&self, symbol: Symbol) -> Meaning {
        self.symbols[symbol.0 as usize].meaning
    }

    pub(crate) fn sort_meaning(&self, symbol: Symbol) -> SortMeaning {
        self.sorts[symbol.0 as usize]
    }

    /// May this symbol be declared?
    pub(crate) fn is_free(&self, symbol: Symbol) -> bool {
        match self.meaning(symbol) {
            Meaning::Unknown => true,
            Meaning::Builtin(b) => b.can_be_shadowed(),
            _ => false,
        }
    }

    /// Gives a symbol a meaning until the current level is popped.
    pub(crate) fn set_meaning(&mut self, symbol: Symbol, meaning: Meaning) {
        let old = std::mem::replace(self.meaning_mut(symbol), meaning);
        self.trail.push(Undo::Term(symbol, old));
    }

    /// Gives a sort symbol a meaning until the current level is popped.
    pub(crate) fn set_sort(&mut self, symbol: Symbol, meaning: SortMeaning) {
        let old = std::mem::replace(&mut self.sorts[symbol.0 as usize], meaning);
        self.trail.push(Undo::Sort(symbol, old));
    }

    /// Makes a sort unknown that has a meaning of its own, for good.
    pub(crate) fn forget_sort(&mut self, sort: Sort) {
        for meaning in &mut self.sorts {
            if *meaning == SortMeaning::Known(sort) {
                *meaning = SortMeaning::Unknown;
            }
        }
    }

    /// A number for a new binder.
    pub(crate) fn new_binder(&mut self) -> u32 {
        self.binders = self.binders.wrapping_add(1);
        self.binders
    }

    /// Binds a symbol locally; false if the same binder has bound it already.
    pub(crate) fn bind(&mut self, symbol: Symbol, term: Term, binder: u32) -> bool {
        let old = self.meaning(symbol);
        if matches!(old, Meaning::Local(_, b) if b == binder) {
            return false;
        }
        self.locals.push((symbol, old));
        *self.meaning_mut(symbol) = Meaning::Local(term, binder);
        true
    }

    /// The number of local bindings in force, to come back to with [`Scope::unbind`].
    pub(crate) fn num_locals(&self) -> usize {
        self.locals.len()
    }

    /// Takes back the local bindings beyond a number.
    pub(crate) fn unbind(&mut self, mark: usize) {
        while self.locals.len() > mark {
            if let Some((symbol, old)) = self.locals.pop() {
                *self.meaning_mut(symbol) = old;
            }
        }
    }

    /// Takes a name for a bound variable, unless a declared symbol has it.
    pub(crate) fn add_bound(&mut self, name: &str) -> bool {
        let known = self.find(name, hash_name(name));
        let declared = known.is_some_and(|s| !matches!(self.meaning(s), Meaning::Unknown));
        !declared && self.bound.insert(name.into())
    }

    /// Has a bound variable this name?
    pub(crate) fn is_bound(&self, name: &str) -> bool {
        self.bound.contains(name)
    }

    /// A point to come back to with [`Scope::roll_back`] if a command fails.
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back all local bindings, and the declarations made since a mark.
    pub(crate) fn roll_back(&mut self, mark: usize) {
        self.unbind(0);
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Term(symbol, old)) => *self.meaning_mut(symbol) = old,
                Some(Undo::Sort(symbol, old)) => self.sorts[symbol.0 as usize] = old,
                None => {}
            }
        }
    }

    /// The number of levels that have been pushed and not popped.
    pub fn level(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn push(&mut self, count: usize) {
        self.levels.resize(self.levels.len() + count, self.trail.len());
    }

    /// Removes levels, of which there must be enough.
    pub(crate) fn pop(&mut self, count: usize) {
        let remaining = self.levels.len() - count;
        let mark = self.levels.get(remaining).copied();
        self.levels.truncate(remaining);
        if let Some(mark) = mark
            && !self.global_declarations
        {
            self.roll_back(mark);
        }
    }

    /// Removes all levels and, unless they are global, all declarations.
    pub(crate) fn reset_assertions(&mut self) {
        self.levels.clear();
        if !self.global_declarations {
            self.roll_back(0);
        }
    }

    /// Back to the initial state; only bound variables of earlier terms are remembered.
    pub(crate) fn reset(&mut self) {
        *self = Scope { bound: std::mem::take(&mut self.bound), ..Scope::new() };
    }

    /// Takes note of the logic.
    pub(crate) fn set_logic(&mut self, logic: &str) {
        let reals = logic.contains("RA") || logic.contains("RDL");
        self.numerals_are_real = reals && !logic.contains("IRA");
    }
}
