//! Numbers that are only compared: arguments that take part in no arithmetic become values of a datatype.
//!
//! Models of protocols use numbers as names: of messages, of processes, of what somebody votes for. Such numbers are copied, chosen, and
//! compared for equality, with each other and with numerals, but never added or ordered. For an arithmetic solver each of these equations
//! is two inequalities, so that proofs are twice as long as they have to be, and interpolants speak of numbers between 3 and
//! 4. As values of a datatype, whose constructors are the numerals and one for everything else, they are the business of congruence closure, and
//! interpolants are equations.
//!
//! Numbers that are merely compared with numerals, such as the state of a machine, stay numbers: there inequalities are what an interpolant
//! needs to exclude many of them at once.
//!
//! The reading is exact. Any infinite set will do for such numbers, as long as the numerals are different elements of it; this is where the
//! idea of abstracting a data type by its equality goes back to (Wolper, *Expressing interesting properties of programs in propositional
//! temporal logic*, POPL 1986).

use crate::horn::back::BackMap;
use crate::horn::{Atom, Clause, Derivation, DerivationStep, Horn, Interpretation, Predicate};
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{Evaluator, Op, Sort, Store, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// With more numerals than this, numbers stay numbers.
const MAX_NUMERALS: usize = 64;

/// What [`values`] did.
#[derive(Clone, Debug)]
pub struct Values {
    /// The datatypes of integers and of reals.
    types: Vec<Names>,
    /// The constants that stand for the parameters of predicates and for the constants of clauses: new ones and old ones.
    old: FxHashMap<Term, Term>,
    /// For each clause the constants of the new one.
    constants: Vec<Vec<Term>>,
}

/// The datatype that stands for the numbers of a sort.
#[derive(Clone, Debug)]
struct Names {
    of: Sort,
    sort: Sort,
    /// The numerals: the constructors but for the last one.
    numerals: Vec<Rational>,
}

impl Names {
    /// The constructor of all numbers that are no numerals.
    fn other(&self) -> u32 {
        self.numerals.len() as u32
    }

    /// The number that the last constructor makes of an integer: never one of the numerals, and never the same twice.
    fn number(&self, of: &Rational) -> Rational {
        let largest = self.numerals.iter().map(Rational::ceil).max().unwrap_or(Rational::ZERO);
        let doubled = &(of + of);
        let place = if of.is_negative() { &-doubled - &Rational::ONE } else { doubled.clone() };
        &(&largest + &Rational::ONE) + &place
    }
}

/// Terms that stand for the same numbers.
#[derive(Default)]
struct Components {
    parents: FxHashMap<Term, Term>,
    /// The components that arithmetic looks at.
    arithmetic: FxHashSet<Term>,
    /// The components of which clauses ask whether two numbers differ.
    compared: FxHashSet<Term>,
}

/// The equations between numbers, none of them a numeral, that formulas deny or ask about. One that is merely asserted may be no more than a way to
/// say that a number is handed on.
fn denied_equations(store: &Store, formulas: impl Iterator<Item = Term>) -> Vec<Term> {
    const ASSERTED: u8 = 1;
    const DENIED: u8 = 2;
    let mut seen: FxHashMap<Term, u8> = FxHashMap::default();
    let mut stack: Vec<(Term, u8)> = formulas.map(|f| (f, ASSERTED)).collect();
    let mut out = Vec::new();
    while let Some((t, uses)) = stack.pop() {
        let known = seen.entry(t).or_default();
        if *known | uses == *known {
            continue;
        }
        *known |= uses;
        let args = store.args(t);
        let of_args = match store.op(t) {
            Op::And | Op::Or => uses,
            Op::Not => (uses & ASSERTED) << 1 | uses >> 1,
            _ => ASSERTED | DENIED,
        };
        if store.op(t) == Op::Eq && store.sort_of(args[0]).is_arith() && uses & DENIED != 0 {
            out.extend(args.iter().all(|&a| store.as_num(a).is_none()).then_some(t));
        }
        stack.extend(args.iter().map(|&a| (a, of_args)));
    }
    out
}

impl Components {
    fn find(&mut self, t: Term) -> Term {
        let mut root = t;
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        let mut here = t;
        while let Some(parent) = self.parents.get_mut(&here) {
            here = std::mem::replace(parent, root);
        }
        root
    }

    fn join(&mut self, a: Term, b: Term) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents.insert(a, b);
        }
    }

    /// The components of the numbers in a system. A numeral belongs to none: it may be a name in one place and a number in another.
    fn new(store: &Store, horn: &Horn, budget: &Budget) -> Result<Components, Interrupt> {
        let mut found = Components::default();
        let is_number = |t: Term| store.sort_of(t).is_arith();
        let is_numeral = |t: Term| store.as_num(t).is_some();
        let mut used = Vec::new();
        for t in store.post_order(horn.clauses.iter().flat_map(|c| c.terms())) {
            budget.poll()?;
            let args = store.args(t);
            match store.op(t) {
                Op::Eq if is_number(args[0]) => match (is_numeral(args[0]), is_numeral(args[1])) {
                    (false, false) => found.join(args[0], args[1]),
                    _ => continue,
                },
                Op::Ite if is_number(t) => {
                    args[1..].iter().filter(|&&a| !is_numeral(a)).for_each(|&a| found.join(a, t));
                }
                Op::Apply(_) if args.is_empty() => {}
                _ => {
                    used.extend(args.iter().copied().filter(|&a| is_number(a)));
                    if is_number(t) && !is_numeral(t) {
                        used.push(t);
                    }
                }
            }
        }
        for atom in horn.clauses.iter().flat_map(|c| c.body.iter().chain(&c.head)) {
            for (&arg, &param) in atom.args.iter().zip(&horn.pred(atom.pred).params) {
                if is_number(arg) && !is_numeral(arg) {
                    found.join(arg, param);
                }
            }
        }
        found.arithmetic = used.into_iter().map(|t| found.find(t)).collect();
        let denied = denied_equations(store, horn.clauses.iter().flat_map(|c| c.terms()));
        found.compared = denied.into_iter().map(|t| found.find(store.arg(t, 0))).collect();
        Ok(found)
    }

    /// Is a number, which is no numeral, compared with others, and nothing else?
    fn is_name(&mut self, store: &Store, t: Term) -> bool {
        if !store.sort_of(t).is_arith() || store.as_num(t).is_some() {
            return false;
        }
        let root = self.find(t);
        self.compared.contains(&root) && !self.arithmetic.contains(&root)
    }
}

/// The system in which numbers that are only compared are values of datatypes; nothing if no argument of a predicate is one.
pub fn values(store: &mut Store, horn: &Horn, budget: &Budget) -> Result<Option<(Horn, BackMap)>, Interrupt> {
    let mut components = Components::new(store, horn, budget)?;
    let mut params = horn.preds.iter().flat_map(|p| p.params.iter().copied());
    if !params.any(|p| components.is_name(store, p)) {
        return Ok(None);
    }
    let Some(types) = datatypes(store, horn, &mut components) else { return Ok(None) };
    let mut reader =
        Reader { store, components, types, known: FxHashMap::default(), old: FxHashMap::default() };
    let preds = horn
        .preds
        .iter()
        .map(|p| Predicate {
            name: p.name.clone(),
            params: p.params.iter().map(|&t| reader.read(t)).collect(),
        })
        .collect();
    let mut clauses = Vec::with_capacity(horn.clauses.len());
    let mut constants = Vec::with_capacity(horn.clauses.len());
    for c in &horn.clauses {
        budget.check()?;
        let clause = reader.clause(horn, c);
        constants.push(clause.variables(reader.store));
        clauses.push(clause);
    }
    let Reader { types, old, .. } = reader;
    Ok(Some((Horn { preds, clauses }, BackMap::Values(Values { types, old, constants }))))
}

/// A datatype for each sort of numbers, with the numerals that names are compared with.
fn datatypes(store: &mut Store, horn: &Horn, components: &mut Components) -> Option<Vec<Names>> {
    let mut numerals: FxHashSet<(Sort, Rational)> = FxHashSet::default();
    let mut note = |store: &Store, t: Term| {
        if let Some(n) = store.as_num(t) {
            numerals.insert((store.sort_of(t), n.clone()));
        }
    };
    for t in store.post_order(horn.clauses.iter().flat_map(|c| c.terms())) {
        let args = store.args(t);
        let is_compared = match store.op(t) {
            Op::Eq => args.iter().any(|&a| components.is_name(store, a)),
            Op::Ite => components.is_name(store, t),
            _ => false,
        };
        if is_compared {
            args.iter().for_each(|&a| note(store, a));
        }
    }
    for atom in horn.clauses.iter().flat_map(|c| c.body.iter().chain(&c.head)) {
        for (&arg, &param) in atom.args.iter().zip(&horn.pred(atom.pred).params) {
            if components.is_name(store, param) {
                note(store, arg);
            }
        }
    }
    let mut types = Vec::new();
    for of in [Sort::INT, Sort::REAL] {
        let mut numerals: Vec<Rational> =
            numerals.iter().filter(|(s, _)| *s == of).map(|(_, n)| n.clone()).collect();
        if numerals.len() > MAX_NUMERALS {
            return None;
        }
        numerals.sort();
        let sort = store.new_datatype(if of == Sort::INT { "@Name" } else { "@RealName" }, &[]);
        let mut constructors: Vec<bolide_term::ConstructorDecl> =
            numerals.iter().map(|n| (format!("@{n}").into(), Vec::new())).collect();
        constructors.push(("@other".into(), vec![("@number".into(), Sort::INT)]));
        store.define_datatypes(&[(sort, constructors)]).ok()?;
        types.push(Names { of, sort, numerals });
    }
    Some(types)
}

/// Rewrites clauses.
struct Reader<'a> {
    store: &'a mut Store,
    components: Components,
    types: Vec<Names>,
    known: FxHashMap<Term, Term>,
    /// From new constants to old ones.
    old: FxHashMap<Term, Term>,
}

impl Reader<'_> {
    fn names(&self, of: Sort) -> &Names {
        &self.types[usize::from(of != Sort::INT)]
    }

    /// A term that has been read, as the name of a number if it is a numeral.
    fn name(&mut self, t: Term) -> Term {
        let Some(n) = self.store.as_num(t) else { return self.known[&t] };
        let names = self.names(self.store.sort_of(t));
        let constructor = names.numerals.binary_search(n).expect("a numeral that was noted") as u32;
        let sort = names.sort;
        self.store.construct(sort, constructor, &[])
    }

    fn read(&mut self, root: Term) -> Term {
        let order: Vec<Term> =
            self.store.post_order([root]).filter(|t| !self.known.contains_key(t)).collect();
        for t in order {
            let args: Vec<Term> = self.store.args(t).to_vec();
            let is_name = self.components.is_name(self.store, t);
            let new = match self.store.op(t) {
                Op::Apply(_) if is_name => {
                    let sort = self.names(self.store.sort_of(t)).sort;
                    let name = self.store.as_var(t).map(|f| self.store.decl(f).name.to_string());
                    let new = self.store.fresh_var(&name.unwrap_or_default(), sort);
                    self.old.insert(new, t);
                    new
                }
                Op::Ite if is_name => {
                    let (condition, a, b) = (self.known[&args[0]], self.name(args[1]), self.name(args[2]));
                    self.store.ite(condition, a, b)
                }
                Op::Eq if args.iter().any(|&a| self.components.is_name(self.store, a)) => {
                    let (a, b) = (self.name(args[0]), self.name(args[1]));
                    self.store.eq(a, b)
                }
                _ => {
                    let args: Vec<Term> = args.iter().map(|a| self.known[a]).collect();
                    self.store.rebuild(t, &args)
                }
            };
            self.known.insert(t, new);
        }
        self.known[&root]
    }

    fn clause(&mut self, horn: &Horn, clause: &Clause) -> Clause {
        for t in clause.terms() {
            self.read(t);
        }
        let mut atom = |a: &Atom| {
            let params = &horn.pred(a.pred).params;
            let args = a.args.iter().zip(params).map(|(&t, &p)| {
                if self.components.is_name(self.store, p) { self.name(t) } else { self.known[&t] }
            });
            Atom { pred: a.pred, args: args.collect() }
        };
        let body = clause.body.iter().map(&mut atom).collect();
        let head = clause.head.as_ref().map(&mut atom);
        Clause { head, body, constraint: self.known[&clause.constraint], span: clause.span }
    }
}

impl Values {
    /// The interpretation of the system before; nothing if it speaks of the integers in the last constructor.
    pub fn interpretation(&self, store: &mut Store, found: Interpretation) -> Option<Interpretation> {
        let mut known = FxHashMap::default();
        let formulas: Option<Vec<Term>> =
            found.formulas.iter().map(|&f| self.numbers(store, f, &mut known)).collect();
        Some(Interpretation { formulas: formulas?, folds: found.folds })
    }

    fn names(&self, sort: Sort) -> Option<&Names> {
        self.types.iter().find(|n| n.sort == sort)
    }

    /// A formula about names as one about numbers. The integer in the last constructor is a stand-in for the number itself.
    fn numbers(&self, store: &mut Store, root: Term, known: &mut FxHashMap<Term, Term>) -> Option<Term> {
        let order: Vec<Term> = store.post_order([root]).filter(|t| !known.contains_key(t)).collect();
        for t in order {
            let args: Vec<Term> = store.args(t).to_vec();
            let read: Vec<Term> = args.iter().map(|a| known[a]).collect();
            let new = match (store.op(t), self.names(store.sort_of(t))) {
                (Op::Apply(_), _) if args.is_empty() => self.old.get(&t).copied().unwrap_or(t),
                (Op::Construct(n), Some(names)) if n < names.other() => {
                    store.num(names.numerals[n as usize].clone(), names.of)
                }
                (Op::Construct(_), Some(names)) => match store.as_num(args[0]) {
                    Some(n) => {
                        let number = names.number(n);
                        store.num(number, names.of)
                    }
                    None if matches!(store.op(args[0]), Op::Field { .. }) => read[0],
                    None => return None,
                },
                (Op::Is(n), _) if self.names(store.sort_of(args[0])).is_some() => {
                    let names = self.names(store.sort_of(args[0]))?;
                    let is = |store: &mut Store, n: &Rational| {
                        let numeral = store.num(n.clone(), names.of);
                        store.eq(read[0], numeral)
                    };
                    match names.numerals.get(n as usize) {
                        Some(n) => is(store, n),
                        None => {
                            let cases: Vec<Term> = names.numerals.iter().map(|n| is(store, n)).collect();
                            let any = store.or(&cases);
                            store.not(any)
                        }
                    }
                }
                (Op::Field { .. }, _) if self.names(store.sort_of(args[0])).is_some() => read[0],
                (Op::Eq, _) => {
                    if store.sort_of(read[0]) != store.sort_of(read[1]) {
                        return None;
                    }
                    store.eq(read[0], read[1])
                }
                // Nothing but equations and constructors is known of the integers in names.
                _ if args.iter().any(|&a| matches!(store.op(a), Op::Field { .. })) => return None,
                (Op::Ite, _) if args != read => store.ite(read[0], read[1], read[2]),
                _ => store.rebuild(t, &read),
            };
            known.insert(t, new);
        }
        Some(known[&root])
    }

    /// The derivation in the system before.
    pub fn derivation(&self, store: &Store, found: Derivation) -> Option<Derivation> {
        let mut steps = Vec::with_capacity(found.steps.len());
        for step in found.steps {
            let mut values = step.values.clone();
            let mut evaluator = Evaluator::new(store, &step.values);
            for &new in self.constants.get(step.clause)? {
                if let Some(&old) = self.old.get(&new) {
                    let value = self.number(&evaluator.eval(new).ok()?)?;
                    values.set(store.as_var(old)?, value);
                }
            }
            steps.push(DerivationStep { values, ..step });
        }
        Some(Derivation { steps, repetitions: found.repetitions })
    }

    /// The number that a value of a datatype stands for.
    fn number(&self, value: &Value) -> Option<Value> {
        let Value::Data(data) = value else { return None };
        let names = self.names(data.sort())?;
        match names.numerals.get(data.constructor() as usize) {
            Some(n) => Some(Value::Num(n.clone())),
            None => Some(Value::Num(names.number(data.fields().first()?.as_num()?))),
        }
    }
}
