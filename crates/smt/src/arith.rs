//! Linear arithmetic over rationals and integers: an incremental general simplex with certificates.
//!
//! The solver follows Dutertre and de Moura ("A Fast Linear-Arithmetic Solver for DPLL(T)", 2006). A linear form
//! becomes a slack variable with a row of a tableau; atoms compare one variable with a constant; asserting a literal
//! tightens a bound; [`check`](Arith::check) repairs the assignment by pivoting or finds a row that cannot be repaired.
//! Backtracking withdraws bounds only: the tableau and the assignment stay.
//!
//! The solver knows nothing of terms. Everything that it claims (conflicts, implied literals, cuts) comes as a
//! combination of literals that [`certificate`] checks independently.
//!
//! Rows take part in the tableau only while they are needed: a slack that never had a bound, or lost all of them, or
//! whose bounds have not been violated yet (`waiting`), is *dormant* and is computed from its form on demand.

mod assert;
mod assignment;
mod bounds;
pub mod certificate;
mod cuts;
mod delta;
mod diophantine;
mod equalities;
mod explain;
mod final_check;
mod propagate;
mod repair;
mod simplex;
mod splits;
mod tableau;
#[cfg(test)]
mod tests;
mod types;
mod waiting;

pub use delta::Delta;
pub use types::{
    AtomId, AtomLit, Conflict, Cut, FinalCheck, FixedPremise, Form, Premise, ReasonId, Relation, Side,
    Status, VarId,
};

use std::sync::Arc;

use bolide_base::{IdVec, Rational, Stats};
use rustc_hash::FxHashMap;

use assignment::{Assignment, VarQueue};
use bounds::{Bounds, is_tighter};
use explain::{Derivation, Implication};
use tableau::{RowSet, Tableau};
use waiting::Waiting;

/// What the solver may do beyond deciding feasibility.
#[derive(Clone, Debug)]
pub struct Config {
    /// Derive bounds from rows to imply literals.
    pub propagate_rows: bool,
    /// Offer Chvátal-Gomory cuts besides branches.
    pub cuts: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { propagate_rows: true, cuts: true }
    }
}

struct Variable {
    is_int: bool,
    /// The linear form over original variables that a slack stands for.
    form: Option<Arc<Form>>,
    /// A slack that is not in the tableau.
    dormant: bool,
    /// How many bounds and disequalities on the trail are about this variable.
    uses: u32,
    /// The atoms about this variable, by constant and then relation.
    atoms: Vec<AtomId>,
}

/// A registered atom. On integer variables the constants of inequalities are integers.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The variable.
    pub var: VarId,
    /// How it is compared.
    pub relation: Relation,
    /// With what it is compared.
    pub constant: Rational,
    assigned: Option<bool>,
    implied: bool,
}

/// The lengths of all trails when a level was opened.
#[derive(Clone, Copy)]
struct Level {
    bounds: usize,
    assigned: usize,
    disequalities: usize,
    implications: usize,
    derivations: usize,
}

#[derive(Default)]
struct Counters {
    checks: u64,
    pivots: u64,
    conflicts: u64,
    implied: u64,
    branches: u64,
    cuts: u64,
    splits: u64,
}

/// The solver.
#[derive(Default)]
pub struct Arith {
    config: Config,
    vars: IdVec<VarId, Variable>,
    forms: FxHashMap<Arc<Form>, VarId>,
    atoms: IdVec<AtomId, Atom>,

    tableau: Tableau,
    assignment: Assignment,
    bounds: Bounds,
    /// Contains every variable whose value violates a bound.
    suspects: VarQueue,
    /// Contains every slack outside the tableau that something on the trail is about.
    waiting: Waiting,

    levels: Vec<Level>,
    assigned: Vec<AtomId>,
    /// The equalities that were asserted to be false.
    disequalities: Vec<AtomId>,
    implications: IdVec<ReasonId, Implication>,
    derivations: Vec<Derivation>,
    /// How many implications the caller has seen.
    implications_seen: usize,
    /// How many bounds the rows have seen.
    bounds_seen: usize,
    touched_rows: RowSet,

    /// How many slacks are in the tableau although nothing on the trail is about them.
    idle: usize,
    /// How many rows came into the tableau while there were idle ones, since these were last removed.
    woken_instead: usize,
    /// The value of δ in the current model.
    epsilon: Rational,
    /// Variables that are integer quotients, the first to be split, and how often each was.
    quotients: Vec<(VarId, u32)>,
    /// How often an integer variable was split because it was fractional.
    branches: FxHashMap<VarId, u32>,
    fractional_checks: u64,
    /// Those since the last model that was integral.
    fractional_in_a_row: u32,
    counters: Counters,
}

impl Arith {
    /// A solver without variables.
    pub fn new(config: Config) -> Self {
        Self { config, epsilon: Rational::ONE, ..Self::default() }
    }

    /// A new original variable.
    pub fn new_var(&mut self, is_int: bool) -> VarId {
        self.add_var(is_int, None)
    }

    fn add_var(&mut self, is_int: bool, form: Option<Arc<Form>>) -> VarId {
        self.tableau.add_var();
        self.assignment.add_var();
        self.bounds.add_var();
        self.suspects.add_var();
        self.waiting.add_var();
        let dormant = form.is_some();
        self.vars.push(Variable { is_int, form, dormant, uses: 0, atoms: Vec::new() })
    }

    /// Says that an integer variable is the quotient of a division by a constant.
    pub fn mark_quotient(&mut self, var: VarId) {
        self.quotients.push((var, 0));
    }

    /// The variable that stands for a linear form over original variables and slacks. Equal forms have the same
    /// variable, and the form `1 * x` is `x` itself. It is an integer if all variables and coefficients are.
    pub fn row(&mut self, form: &Form) -> VarId {
        let form = self.expand(form);
        if let [(coeff, var)] = form.as_slice()
            && coeff.is_one()
        {
            return *var;
        }
        if let Some(&slack) = self.forms.get(form.as_slice()) {
            return slack;
        }
        let is_int = form.iter().all(|(coeff, var)| coeff.is_integer() && self.vars[*var].is_int);
        let form: Arc<Form> = form.into();
        let slack = self.add_var(is_int, Some(form.clone()));
        self.forms.insert(form, slack);
        slack
    }

    /// A scale `s` and a variable `v` such that the linear form equals `s * v`, where the form of `v` has coprime
    /// integer coefficients and starts with a positive one. All multiples of a form share `v`, and bounds on an
    /// integer `v` are as tight as rounding makes them. The empty form gives scale 1.
    pub fn scaled_row(&mut self, form: &Form) -> (Rational, VarId) {
        let mut form = self.expand(form);
        let content = form.iter().fold(Rational::ZERO, |gcd, (coeff, _)| gcd.gcd(coeff));
        let scale = match form.first() {
            None => Rational::ONE,
            Some((first, _)) if first.is_negative() => -content,
            Some(_) => content,
        };
        form.iter_mut().for_each(|(coeff, _)| *coeff /= &scale);
        let var = self.row(&form);
        (scale, var)
    }

    /// The form over original variables: sorted by variable, each at most once, without zeros.
    fn expand(&self, form: &Form) -> Vec<(Rational, VarId)> {
        let mut terms = Vec::with_capacity(form.len());
        for (coeff, var) in form {
            match &self.vars[*var].form {
                None => terms.push((coeff.clone(), *var)),
                Some(inner) => terms.extend(inner.iter().map(|(c, v)| (c * coeff, *v))),
            }
        }
        collect_terms(terms)
    }

    /// The linear form over original variables that a slack stands for; nothing for an original variable.
    pub fn row_of(&self, var: VarId) -> Option<&Form> {
        self.vars[var].form.as_deref()
    }

    /// Whether a variable takes integer values only.
    pub fn is_int(&self, var: VarId) -> bool {
        self.vars[var].is_int
    }

    /// The number of variables, slacks included.
    pub fn num_vars(&self) -> usize {
        self.vars.len()
    }

    /// The atom `var <= constant`.
    pub fn atom_le(&mut self, var: VarId, constant: Rational) -> AtomId {
        let constant = if self.is_int(var) { constant.floor() } else { constant };
        self.register(var, Relation::Le, constant)
    }

    /// The atom `var >= constant`.
    pub fn atom_ge(&mut self, var: VarId, constant: Rational) -> AtomId {
        let constant = if self.is_int(var) { constant.ceil() } else { constant };
        self.register(var, Relation::Ge, constant)
    }

    /// The atom `var = constant`.
    pub fn atom_eq(&mut self, var: VarId, constant: Rational) -> AtomId {
        self.register(var, Relation::Eq, constant)
    }

    /// Equal atoms are the same atom. One that follows from the current bounds is implied at once.
    fn register(&mut self, var: VarId, relation: Relation, constant: Rational) -> AtomId {
        let of_var = &self.vars[var].atoms;
        let place = of_var.binary_search_by(|&id| {
            let atom = &self.atoms[id];
            atom.constant.cmp(&constant).then(atom.relation.cmp(&relation))
        });
        match place {
            Ok(place) => of_var[place],
            Err(place) => {
                let id = self.atoms.push(Atom { var, relation, constant, assigned: None, implied: false });
                self.vars[var].atoms.insert(place, id);
                self.imply_by_current_bounds(id);
                id
            }
        }
    }

    /// A registered atom.
    pub fn atom(&self, atom: AtomId) -> &Atom {
        &self.atoms[atom]
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push(Level {
            bounds: self.bounds.len(),
            assigned: self.assigned.len(),
            disequalities: self.disequalities.len(),
            implications: self.implications.len(),
            derivations: self.derivations.len(),
        });
    }

    /// Closes the last `n` levels (or all, if there are fewer) and withdraws what was asserted and implied in them.
    /// Variables and atoms stay.
    pub fn pop(&mut self, n: usize) {
        let kept = self.levels.len().saturating_sub(n);
        let Some(&level) = self.levels.get(kept) else { return };
        self.levels.truncate(kept);
        while self.bounds.len() > level.bounds
            && let Some(bound) = self.bounds.pop()
        {
            self.release(bound.var);
        }
        for atom in self.disequalities.split_off(level.disequalities) {
            self.release(self.atoms[atom].var);
        }
        for atom in self.assigned.drain(level.assigned..) {
            self.atoms[atom].assigned = None;
        }
        while self.implications.len() > level.implications
            && let Some(implication) = self.implications.pop()
        {
            self.atoms[implication.lit.atom].implied = false;
        }
        self.derivations.truncate(level.derivations);
        self.implications_seen = self.implications_seen.min(level.implications);
        self.bounds_seen = self.bounds_seen.min(level.bounds);
    }

    /// The number of open levels.
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// Something on the trail is about `var`, and holds in the current assignment if its row is not in the tableau.
    fn acquire(&mut self, var: VarId) {
        let variable = &mut self.vars[var];
        variable.uses += 1;
        if variable.uses > 1 || variable.form.is_none() {
            return;
        }
        if variable.dormant {
            self.let_wait(var);
        } else {
            self.idle -= 1;
        }
    }

    /// The inverse of [`acquire`](Self::acquire), except that a row stays in the tableau until it is in the way.
    fn release(&mut self, var: VarId) {
        let variable = &mut self.vars[var];
        variable.uses -= 1;
        if variable.uses > 0 || variable.form.is_none() {
            return;
        }
        if variable.dormant {
            self.waiting.leave(var);
        } else {
            self.idle += 1;
        }
    }

    /// The value of a variable in the current assignment, which satisfies all bounds after a feasible check.
    pub fn current(&self, var: VarId) -> Delta {
        match &self.vars[var] {
            Variable { dormant: true, form: Some(form), .. } => value_of_form(&self.assignment, form),
            _ => self.assignment.get(var).clone(),
        }
    }

    /// The value of a variable in the model that the last successful final check found.
    pub fn value(&self, var: VarId) -> Rational {
        self.current(var).at(&self.epsilon)
    }

    /// The tightest asserted bound of a variable on a side, with the literal that asserted it.
    pub fn bound(&self, var: VarId, side: Side) -> Option<(&Delta, AtomLit)> {
        self.bounds.get(var, side).map(|bound| (&bound.value, bound.lit))
    }

    /// The only value that the bounds of a variable allow, if there is only one.
    pub fn fixed_value(&self, var: VarId) -> Option<&Rational> {
        self.bounds.fixed(var)
    }

    /// Whether the bounds of a variable allow one value only.
    pub fn is_fixed(&self, var: VarId) -> bool {
        self.bounds.fixed(var).is_some()
    }

    /// What the solver has done so far.
    pub fn stats(&self) -> Stats {
        let c = &self.counters;
        let mut stats = Stats::new();
        for (name, n) in [
            ("arith checks", c.checks),
            ("arith pivots", c.pivots),
            ("arith conflicts", c.conflicts),
            ("arith implied literals", c.implied),
            ("arith branches", c.branches),
            ("arith cuts", c.cuts),
            ("arith disequality splits", c.splits),
        ] {
            stats.count(name, n);
        }
        stats
    }
}

/// Sorts the terms by variable and adds up those of the same variable.
fn collect_terms(mut terms: Vec<(Rational, VarId)>) -> Vec<(Rational, VarId)> {
    terms.sort_by_key(|&(_, var)| var);
    terms.dedup_by(|(coeff, var), (kept, kept_var)| {
        let same = var == kept_var;
        if same {
            *kept += &*coeff;
        }
        same
    });
    terms.retain(|(coeff, _)| !coeff.is_zero());
    terms
}

fn value_of_form(assignment: &Assignment, form: &Form) -> Delta {
    let mut value = Delta::default();
    form.iter().for_each(|(coeff, var)| value.add_mul(coeff, assignment.get(*var)));
    value
}
