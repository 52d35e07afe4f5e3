//! Ghosts: values that nothing in the program keeps, and formulas for all values.
//!
//! A ghost is a constant that takes no part in the program. On the way from one cut point to another, or to an error, it may
//! be given the value of a term over the variables at the start or at the end of the way; on all other ways it keeps the value that it
//! has. Since it cannot influence the program, any terms will do. It starts with any value.
//!
//! A formula may begin with a quantifier over ghosts: it holds for all values of these. Of such a formula one instance is
//! used on each way: for a ghost that is quantified at the end of the way as well, both formulas are taken at the same
//! arbitrary value; for any other ghost, the formula at the start is taken at the value that the ghost has at the end. An
//! instance of what holds for all values holds, so nothing needs to be found or believed.
//!
//! The section `ghosts` has a line `FROM TO NAME start|end TERM` for each value that a ghost is given. The option `ghosts` says how
//! many ghosts there are; they are called `?0`, `?1`, …

use crate::Flaw;
use crate::horn::term_over;
use bolide_model::program::back::{ProcLoc, Prophecy, When};
use bolide_model::{LocId, Program};
use bolide_smtlib::print_term;
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The option that says how many ghosts there are, and the section of the values that they are given.
pub const GHOSTS: &str = "ghosts";
/// What says that a term is about the start of a way.
const START: &str = "start";
/// What says that it is about the end.
const END: &str = "end";
/// There are not more ghosts than this.
const MOST: usize = 100;

/// The name of a ghost.
fn name(n: usize) -> String {
    format!("?{n}")
}

/// The ghosts of a certificate.
#[derive(Default)]
pub(crate) struct Ghosts {
    /// Constants with the names that the certificate uses.
    names: Vec<Term>,
    /// The ghosts, which are constants that occur nowhere else.
    pub(super) ghosts: Vec<Term>,
    /// For each ghost any value.
    pub(super) any: Vec<Term>,
    /// The ghosts that a formula is quantified over.
    quantified: FxHashMap<LocId, Vec<usize>>,
    /// The values that ghosts are given.
    given: FxHashMap<(LocId, LocId), Vec<Given>>,
}

/// A value that a ghost is given.
struct Given {
    ghost: usize,
    value: Term,
    when: When,
}

/// What becomes of the ghosts on a way: in the formula at its start and in the formula at its end.
pub(super) struct Instance {
    start: Vec<(Term, Term)>,
    pub(super) end: Vec<(Term, Term)>,
}

impl Instance {
    /// Formulas at the start.
    pub(super) fn at_start(&self, store: &mut Store, formulas: &[Term]) -> Vec<Term> {
        let mut subst = Substitution::new();
        self.start.iter().for_each(|&(ghost, value)| subst.insert(ghost, value));
        let mut out = Vec::with_capacity(formulas.len());
        for &formula in formulas {
            let formula = subst.apply(store, formula);
            out.extend(store.conjuncts(formula));
        }
        out
    }
}

impl Ghosts {
    /// As many ghosts as the option `ghosts` says, none if there is no such option.
    pub(crate) fn new(store: &mut Store, program: &Program, count: Option<&str>) -> Result<Ghosts, Flaw> {
        let mut ghosts = Ghosts::default();
        let vars: FxHashSet<Func> = program.vars.iter().filter_map(|v| store.as_var(v.term)).collect();
        let count = count.unwrap_or("0").parse().ok().filter(|&n: &usize| n <= MOST);
        for n in 0..count.ok_or("the option ghosts is a number up to 100")? {
            let own = store.var(&name(n), Sort::INT);
            if store.as_var(own).is_none_or(|f| vars.contains(&f)) {
                return Err("a variable has the name of a ghost".into());
            }
            ghosts.names.push(own);
            ghosts.ghosts.push(store.fresh_var("ghost", Sort::INT));
            ghosts.any.push(store.fresh_var("any", Sort::INT));
        }
        Ok(ghosts)
    }

    /// The constants that formulas of the certificate may speak of besides variables.
    pub(crate) fn symbols(&self, store: &Store) -> Vec<Func> {
        self.names.iter().filter_map(|&n| store.as_var(n)).collect()
    }

    /// A formula as it was read, about ghosts instead of their names.
    pub(crate) fn about(&self, store: &mut Store, formula: Term) -> Term {
        let mut subst = Substitution::new();
        self.names.iter().zip(&self.ghosts).for_each(|(&n, &g)| subst.insert(n, g));
        subst.apply(store, formula)
    }

    /// Takes the quantifier from the text of a formula at a location: `(forall ((NAME Int) ...) FORMULA)`.
    pub(crate) fn open<'a>(&mut self, l: LocId, text: &'a str) -> Result<&'a str, Flaw> {
        let Some((variables, body)) = quantifier(text) else { return Ok(text) };
        let number = |v: &str| (0..self.names.len()).find(|&n| name(n) == v);
        let found: Option<Vec<usize>> = variables.into_iter().map(number).collect();
        self.quantified.insert(l, found.ok_or("section `invariant`: a quantifier is over ghosts")?);
        Ok(body)
    }

    /// The ghosts in a formula at a location: those that have some value there, and those that it is quantified over.
    pub(crate) fn in_formula(&self, store: &Store, l: LocId, formula: Term) -> (Vec<Term>, Vec<Term>) {
        let known: FxHashSet<Func> = store.symbols([formula]).into_iter().collect();
        let is_quantified = |n: &usize| self.quantified.get(&l).is_some_and(|all| all.contains(n));
        let occurs = |n: &usize| store.as_var(self.ghosts[*n]).is_some_and(|f| known.contains(&f));
        let (all, some): (Vec<usize>, Vec<usize>) =
            (0..self.ghosts.len()).filter(occurs).partition(is_quantified);
        let terms = |list: Vec<usize>| list.into_iter().map(|n| self.ghosts[n]).collect();
        (terms(some), terms(all))
    }

    /// Reads the values that ghosts are given.
    pub(crate) fn read_values(
        &mut self,
        store: &mut Store,
        program: &Program,
        text: &str,
    ) -> Result<(), Flaw> {
        let malformed =
            || Flaw::from("section `ghosts`: two locations, a ghost, `start` or `end`, and a term");
        let mut symbols: Vec<Func> = program.vars.iter().filter_map(|v| store.as_var(v.term)).collect();
        symbols.extend(self.symbols(store));
        let locations = program.main().locations.len();
        let place = |text: &str| text.parse().ok().filter(|&n| n < locations).map(LocId::new);
        for line in text.lines() {
            let mut words = line.splitn(5, ' ');
            let mut word = || words.next().ok_or_else(malformed);
            let (from, to, ghost, when, value) = (word()?, word()?, word()?, word()?, word()?);
            let (Some(from), Some(to)) = (place(from), place(to)) else { return Err(malformed()) };
            let when = match when {
                START => When::Start,
                END => When::End,
                _ => return Err(malformed()),
            };
            let n = (0..self.names.len()).find(|&n| name(n) == ghost).ok_or_else(malformed)?;
            let value = term_over(store, &symbols, value)?;
            if store.sort_of(value) != Sort::INT {
                return Err("section `ghosts`: a value is not of sort Int".into());
            }
            let value = self.about(store, value);
            let given = self.given.entry((from, to)).or_default();
            if given.iter().any(|g| g.ghost == n) {
                return Err("section `ghosts`: a ghost is given two values".into());
            }
            given.push(Given { ghost: n, value, when });
        }
        Ok(())
    }

    /// What becomes of the ghosts on the way from one cut point to another, at which variables have some values.
    pub(super) fn instance(
        &self,
        store: &mut Store,
        from: LocId,
        to: LocId,
        at_end: &mut Substitution,
    ) -> Instance {
        let mut values = self.ghosts.clone();
        for &Given { ghost, value, when } in self.given.get(&(from, to)).into_iter().flatten() {
            values[ghost] = match when {
                When::Start => value,
                When::End => at_end.apply(store, value),
            };
        }
        let quantified = |l: LocId| self.quantified.get(&l).map_or(&[][..], |q| q);
        quantified(to).iter().for_each(|&n| values[n] = self.any[n]);
        Instance {
            start: quantified(from).iter().map(|&n| (self.ghosts[n], values[n])).collect(),
            end: self.ghosts.iter().copied().zip(values).collect(),
        }
    }
}

/// The variables and the formula of a quantifier over integers.
fn quantifier(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut rest = text.strip_prefix("(forall (")?;
    let mut variables = Vec::new();
    while let Some(variable) = rest.strip_prefix('(') {
        let (name, after) = variable.split_once(" Int)")?;
        variables.push(name);
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    Some((variables, rest.strip_prefix(") ")?.strip_suffix(')')?))
}

/// Gives the constants in formulas that are no variables the names of ghosts. The number of ghosts, and the section `ghosts` for
/// the prophecies.
pub(crate) fn name_constants(
    store: &mut Store,
    program: &Program,
    formulas: &mut [(ProcLoc, Term)],
    prophecies: &[Prophecy],
) -> (usize, String) {
    let vars = program.var_of_symbol(store);
    let mut names = Substitution::new();
    let mut known: FxHashSet<Func> = FxHashSet::default();
    for f in store.symbols(formulas.iter().map(|f| f.1)) {
        if !vars.contains_key(&f) {
            let (constant, own) = (store.apply(f, &[]), store.var(&name(known.len()), Sort::INT));
            names.insert(constant, own);
            known.insert(f);
        }
    }
    formulas.iter_mut().for_each(|(_, formula)| *formula = names.apply(store, *formula));
    let mut values = String::new();
    for f in prophecies {
        if store.as_var(f.constant).is_none_or(|c| !known.contains(&c)) {
            continue;
        }
        let (ghost, value) = (names.apply(store, f.constant), names.apply(store, f.value));
        let (ghost, value) = (print_term(store, ghost), print_term(store, value));
        let when = if f.when == When::Start { START } else { END };
        let _ = writeln!(values, "{} {} {ghost} {when} {value}", f.from.index(), f.to.index());
    }
    (known.len(), values)
}

/// A formula as text, with its quantifier in front.
pub(crate) fn write(store: &Store, formula: Term) -> String {
    let (Op::Forall, Some((&body, variables))) = (store.op(formula), store.args(formula).split_last()) else {
        return print_term(store, formula).to_string();
    };
    let variables: Vec<String> =
        variables.iter().map(|&v| format!("({} Int)", print_term(store, v))).collect();
    format!("(forall ({}) {})", variables.join(" "), print_term(store, body))
}
