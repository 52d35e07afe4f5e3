//! Conditions on arguments: conjunctions of clauses over linear atoms, simplified by a solver and written in C.

use bolide_base::{Budget, IBig, Rational};
use bolide_smt::{Answer, Solver};
use bolide_term::{Func, Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// What the user calls an argument or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The expression in C.
    pub name: String,
    /// Is this about a pointer, 1 if it is not null?
    pub is_pointer: bool,
    /// The values of its type.
    pub range: (i128, i128),
}

/// How a sum compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtMost,
    Equal,
    Different,
}

/// A sum of arguments and a constant that compares with zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    terms: Vec<(Argument, i128)>,
    constant: i128,
    relation: Relation,
}

impl Atom {
    /// The atom that a literal is; nothing if it is none.
    pub fn new(store: &Store, literal: Term, arguments: &FxHashMap<Func, Argument>) -> Option<Atom> {
        let (atom, is_negated) = match store.op(literal) {
            Op::Not => (store.args(literal)[0], true),
            _ => (literal, false),
        };
        let args = store.args(atom);
        let relation = match store.op(atom) {
            Op::Le => Relation::AtMost,
            Op::Eq if store.sort_of(args[0]) == Sort::INT => Relation::Equal,
            _ => return None,
        };
        let Linear { constant, terms } = store.linear_difference(args[0], args[1]);
        let number = |r: &Rational| r.to_string().parse::<i128>().ok();
        let mut out = Vec::new();
        for (t, factor) in &terms {
            out.push((arguments.get(&store.as_var(*t)?)?.clone(), number(factor)?));
        }
        let atom = Atom { terms: out, constant: number(&constant)?, relation };
        let is_plain = atom.terms.len() == 1 || atom.terms.iter().all(|(a, _)| !a.is_pointer);
        (is_plain && !atom.terms.is_empty()).then(|| if is_negated { atom.negated() } else { atom })
    }

    fn negated(mut self) -> Atom {
        match self.relation {
            Relation::AtMost => {
                self.terms.iter_mut().for_each(|(_, factor)| *factor = -*factor);
                self.constant = 1 - self.constant;
            }
            Relation::Equal => self.relation = Relation::Different,
            Relation::Different => self.relation = Relation::Equal,
        }
        self
    }

    fn formula(&self, store: &mut Store) -> Term {
        let mut sum = vec![number(store, self.constant)];
        for (argument, factor) in &self.terms {
            let v = constant(store, argument);
            let factor = Rational::from(IBig::from(*factor));
            sum.push(store.scale(&factor, v));
        }
        let (sum, zero) = (store.add(&sum), store.int(0));
        match self.relation {
            Relation::AtMost => store.le(sum, zero),
            Relation::Equal => store.eq(sum, zero),
            Relation::Different => {
                let equal = store.eq(sum, zero);
                store.not(equal)
            }
        }
    }

    /// Is it about whether one pointer is null? Then whether it has to be.
    fn null(&self) -> Option<(&str, bool)> {
        let [(argument, factor)] = self.terms.as_slice() else { return None };
        let holds = |value: i128| {
            let sum = factor * value + self.constant;
            match self.relation {
                Relation::AtMost => sum <= 0,
                Relation::Equal => sum == 0,
                Relation::Different => sum != 0,
            }
        };
        let is_known = argument.is_pointer && holds(0) != holds(1);
        is_known.then(|| (argument.name.as_str(), holds(0)))
    }

    fn write(&self) -> String {
        if let Some((name, is_null)) = self.null() {
            return format!("{name} {} 0", if is_null { "==" } else { "!=" });
        }
        let is_plain = self.terms.len() == 1 && self.terms[0].1.abs() == 1;
        let side = |sign: i128| -> Vec<String> {
            let own = self.terms.iter().filter(|(_, factor)| factor.signum() == sign);
            let mut out: Vec<String> = own
                .map(|(a, factor)| match factor.abs() {
                    1 => a.name.clone(),
                    n => format!("{n} * {}", a.name),
                })
                .collect();
            if let Some(first) = out.first_mut().filter(|_| !is_plain) {
                // Sums of arguments are sums of numbers, as far as the widest type goes.
                *first = format!("(long){first}");
            }
            out
        };
        let (mut left, mut right, mut constant) = (side(1), side(-1), -self.constant);
        let mut word = match self.relation {
            Relation::AtMost => "<=",
            Relation::Equal => "==",
            Relation::Different => "!=",
        };
        if left.is_empty() {
            (left, right, constant) = (right, left, -constant);
            word = if word == "<=" { ">=" } else { word };
        }
        if constant != 0 || right.is_empty() {
            let suffix = if i64::try_from(constant).is_err() { "u" } else { "" };
            match right.is_empty() || constant > 0 {
                true => right.push(format!("{constant}{suffix}")),
                false => left.push(format!("{}{suffix}", -constant)),
            }
        }
        format!("{} {word} {}", left.join(" + "), right.join(" + "))
    }

    /// The pointers that must not be null for the atom to mean something.
    fn bases(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (argument, _) in self.terms.iter().filter(|(a, _)| !a.is_pointer) {
            let name = argument.name.as_str();
            if let Some(pointer) = name.strip_prefix('*') {
                out.push(pointer.to_owned());
            }
            out.extend(name.match_indices("->").map(|(at, _)| name[..at].trim_start_matches('*').to_owned()));
        }
        out
    }
}

/// A conjunction of clauses.
#[derive(Default)]
pub struct Clauses(Vec<Vec<Atom>>);

impl Clauses {
    /// Excludes the arguments that meet a conjunction. Nothing if they had been excluded before.
    pub fn exclude(&mut self, mut cube: Vec<Atom>, budget: &Budget) -> Option<()> {
        let mut n = 0;
        while n < cube.len() {
            let atom = cube.remove(n);
            if !implies(
                &cube.iter().map(|a| vec![a.clone()]).collect::<Vec<_>>(),
                std::slice::from_ref(&atom),
                budget,
            ) {
                cube.insert(n, atom);
                n += 1;
            }
        }
        let clause: Vec<Atom> = cube.into_iter().map(Atom::negated).collect();
        if implies(&self.0, &clause, budget) {
            return None;
        }
        self.0.push(clause);
        Some(())
    }

    /// Leaves out what follows from the rest.
    pub fn simplify(&mut self, budget: &Budget) {
        for n in 0..self.0.len() {
            let mut at = 0;
            while at < self.0[n].len() && self.0[n].len() > 1 {
                let mut less = self.0[n].clone();
                less.remove(at);
                match implies(&self.0, &less, budget) {
                    true => self.0[n] = less,
                    false => at += 1,
                }
            }
        }
        let mut n = 0;
        while n < self.0.len() {
            let clause = self.0.remove(n);
            if !implies(&self.0, &clause, budget) {
                self.0.insert(n, clause);
                n += 1;
            }
        }
    }

    /// The condition in C; nothing if there is none.
    pub fn write(&self) -> Option<String> {
        let is_never_null =
            |clause: &&Vec<Atom>| matches!(clause.as_slice(), [a] if a.null().is_some_and(|n| !n.1));
        let (first, others): (Vec<_>, Vec<_>) = self.0.iter().partition(is_never_null);
        let never_null: Vec<&str> = first.iter().filter_map(|c| c[0].null()).map(|n| n.0).collect();
        let many = self.0.len() > 1;
        let mut out: Vec<String> = first.iter().map(|c| c[0].write()).collect();
        for clause in others {
            let mut parts: Vec<String> = Vec::new();
            let (null, rest): (Vec<&Atom>, Vec<&Atom>) = clause.iter().partition(|a| a.null().is_some());
            for base in rest.iter().flat_map(|a| a.bases()) {
                let guard = format!("{base} == 0");
                if !never_null.contains(&base.as_str()) && !parts.contains(&guard) {
                    parts.push(guard);
                }
            }
            for text in null.iter().chain(&rest).map(|a| a.write()) {
                if !parts.contains(&text) {
                    parts.push(text);
                }
            }
            let text = parts.join(" || ");
            out.push(if many && parts.len() > 1 { format!("({text})") } else { text });
        }
        (!out.is_empty()).then(|| out.join(" && "))
    }
}

fn number(store: &mut Store, value: i128) -> Term {
    store.num(Rational::from(IBig::from(value)), Sort::INT)
}

/// The constant that stands for an argument.
fn constant(store: &mut Store, argument: &Argument) -> Term {
    let kind = if argument.is_pointer { "null " } else { "" };
    store.var(&format!("{kind}{}", argument.name), Sort::INT)
}

/// Do clauses imply another one, for all values of the types?
fn implies(clauses: &[Vec<Atom>], other: &[Atom], budget: &Budget) -> bool {
    let mut store = Store::new();
    let mut solver = Solver::default();
    for clause in clauses {
        let parts: Vec<Term> = clause.iter().map(|a| a.formula(&mut store)).collect();
        let clause = store.or(&parts);
        solver.assert(clause);
    }
    for atom in other {
        let formula = atom.formula(&mut store);
        let not = store.not(formula);
        solver.assert(not);
    }
    for (argument, _) in clauses.iter().flatten().chain(other).flat_map(|a| &a.terms) {
        let v = constant(&mut store, argument);
        let (low, high) = (number(&mut store, argument.range.0), number(&mut store, argument.range.1));
        let bounds = [store.le(low, v), store.le(v, high)];
        bounds.into_iter().for_each(|b| solver.assert(b));
    }
    solver.check(&mut store, budget) == Answer::Unsat
}
