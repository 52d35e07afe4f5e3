//! Random systems against a brute-force oracle. Every claim of the solver goes through the certificate checker, every
//! model is evaluated, and the internal invariants are checked on the way.

mod oracle;
mod scenarios;

use bolide_base::{Budget, Rational};
use bolide_testkit::Random;

use super::certificate::{check_bound, check_conflict, check_cut};
use super::*;

/// The solver with a record of what was asserted, checking every answer.
struct Checked {
    arith: Arith,
    asserted: Vec<AtomLit>,
    levels: Vec<usize>,
    implied: Vec<(AtomLit, ReasonId, usize)>,
    budget: Budget,
    cuts: usize,
    divisibility: usize,
    implications: usize,
    by_rows: usize,
}

impl Checked {
    fn new(config: Config) -> Self {
        Checked {
            arith: Arith::new(config),
            asserted: Vec::new(),
            levels: Vec::new(),
            implied: Vec::new(),
            budget: Budget::unlimited(),
            cuts: 0,
            divisibility: 0,
            implications: 0,
            by_rows: 0,
        }
    }

    fn push(&mut self) {
        self.arith.push();
        self.levels.push(self.asserted.len());
    }

    fn pop(&mut self, n: usize) {
        // Explanations must be good until the very end of their level.
        for index in 0..self.implied.len() {
            let (lit, reason, _) = self.implied[index];
            self.verify_implied(lit, reason);
        }
        self.arith.pop(n);
        for _ in 0..n {
            let len = self.levels.pop().unwrap_or(0);
            self.asserted.truncate(len);
        }
        let depth = self.levels.len();
        self.implied.retain(|&(_, _, level)| level <= depth);
    }

    fn verify_implied(&self, lit: AtomLit, reason: ReasonId) {
        let conflict = self.arith.explain(reason);
        assert_eq!(check_conflict(&self.arith, &conflict), Ok(()), "{conflict:?}");
        let literals = conflict.literals();
        assert!(literals.contains(&!lit));
        assert!(literals.iter().all(|l| *l == !lit || self.asserted.contains(l)));
    }

    fn collect_implied(&mut self) {
        while let Some((lit, reason)) = self.arith.next_implied() {
            self.implications += 1;
            self.by_rows +=
                usize::from(matches!(self.arith.explain(reason), Conflict::Farkas(p) if p.len() > 2));
            self.verify_implied(lit, reason);
            self.implied.push((lit, reason, self.levels.len()));
        }
    }

    #[track_caller]
    fn verify_conflict(&mut self, conflict: &Conflict) {
        assert_eq!(check_conflict(&self.arith, conflict), Ok(()), "{conflict:?}");
        assert!(conflict.literals().iter().all(|l| self.asserted.contains(l)), "{conflict:?}");
        self.divisibility += usize::from(matches!(conflict, Conflict::Divisibility { .. }));
    }

    /// Whether the solver accepted the literal; it is asserted either way.
    fn assert(&mut self, lit: AtomLit) -> bool {
        self.asserted.push(lit);
        let result = self.arith.assert(lit);
        if let Err(conflict) = &result {
            self.verify_conflict(conflict);
        }
        self.collect_implied();
        result.is_ok()
    }

    fn check(&mut self) -> bool {
        let result = self.arith.check(&self.budget);
        self.verify_state(result.is_ok());
        match result {
            Ok(status) => {
                assert_eq!(status, Status::Feasible);
                self.collect_implied();
                true
            }
            Err(conflict) => {
                self.verify_conflict(&conflict);
                false
            }
        }
    }

    fn verify_state(&self, feasible: bool) {
        let arith = &self.arith;
        arith.tableau.assert_invariants();
        let suspects: Vec<VarId> = arith.suspects.members().collect();
        for var in arith.vars.ids() {
            if let Some(form) = arith.row_of(var) {
                assert_eq!(arith.current(var), value_of_form(&arith.assignment, form));
                assert_eq!(
                    arith.vars[var].dormant,
                    !arith.tableau.is_basic(var) && arith.tableau.column_len(var) == 0
                );
            }
            let violates = arith.bounds.violation(var, &arith.current(var)).is_some();
            let is_suspect = suspects.contains(&var) || arith.vars[var].dormant;
            assert!(!violates || !feasible && is_suspect);
        }
    }

    fn verify_model(&self) {
        for lit in &self.asserted {
            let atom = self.arith.atom(lit.atom);
            let value = self.arith.value(atom.var);
            let holds = match atom.relation {
                Relation::Le => value <= atom.constant,
                Relation::Ge => value >= atom.constant,
                Relation::Eq => value == atom.constant,
            };
            assert_eq!(holds, lit.positive, "{atom:?} at {value}");
        }
        for var in self.arith.vars.ids() {
            let value = self.arith.value(var);
            assert!(!self.arith.is_int(var) || value.is_integer());
            if let Some(form) = self.arith.row_of(var) {
                assert_eq!(value, form.iter().map(|(c, v)| c * self.arith.value(*v)).sum());
            }
        }
    }

    /// Decides what is asserted by following the advice of the final check.
    fn solve(&mut self, fuel: &mut usize) -> bool {
        loop {
            assert!(*fuel > 0, "the search does not end");
            *fuel -= 1;
            match self.arith.final_check(&self.budget, &mut |_| true) {
                FinalCheck::Ok => {
                    self.verify_model();
                    self.verify_state(true);
                    return true;
                }
                FinalCheck::Conflict(conflict) => {
                    self.verify_conflict(&conflict);
                    return false;
                }
                FinalCheck::SplitDisequality { atom } => {
                    assert!(self.asserted.contains(&AtomLit::new(atom, false)));
                    let Atom { var, constant, .. } = self.arith.atom(atom).clone();
                    let below = self.arith.atom_ge(var, constant.clone());
                    let above = self.arith.atom_le(var, constant);
                    return self.split(AtomLit::new(below, false), AtomLit::new(above, false), fuel);
                }
                FinalCheck::Branch { form, floor } => {
                    assert!(floor.is_integer());
                    for (coeff, var) in &form {
                        assert!(coeff.is_integer() && self.arith.is_int(*var));
                        assert!(self.arith.row_of(*var).is_none());
                    }
                    let var = self.arith.row(&form);
                    let below = AtomLit::new(self.arith.atom_le(var, floor), true);
                    return self.split(below, !below, fuel);
                }
                FinalCheck::Cut(cut) => {
                    assert_eq!(check_cut(&self.arith, &cut), Ok(()), "{cut:?}");
                    assert!(cut.premises.iter().all(|p| self.asserted.contains(&p.lit)));
                    self.cuts += 1;
                    let slack = self.arith.row(&cut.coeffs);
                    assert!(self.arith.current(slack) > Delta::exact(cut.bound.clone()));
                    let atom = self.arith.atom_le(slack, cut.bound);
                    if !self.assert(AtomLit::new(atom, true)) {
                        return false;
                    }
                }
                FinalCheck::Interrupted(_) => unreachable!("the budget is unlimited"),
            }
        }
    }

    fn split(&mut self, left: AtomLit, right: AtomLit, fuel: &mut usize) -> bool {
        [left, right].into_iter().any(|lit| {
            self.push();
            let result = self.assert(lit) && self.solve(fuel);
            self.pop(1);
            result
        })
    }
}

/// The shape of a family of random systems.
struct Family {
    cases: u64,
    ints: usize,
    reals: usize,
    rows: usize,
    atoms: usize,
    coeff: i64,
    constant: i64,
    equalities: usize,
}

const BOX: i64 = 3;

#[derive(Default, Debug)]
struct Tally {
    sat: usize,
    unsat: usize,
    cuts: usize,
    divisibility: usize,
    implications: usize,
    by_rows: usize,
    equal: usize,
}

fn run(family: &Family) -> Tally {
    let mut tally = Tally::default();
    (0..family.cases).for_each(|seed| random_case(family, seed, &mut tally));
    tally
}

/// Random walks through levels; at times the full decision is compared with the oracle.
fn random_case(family: &Family, seed: u64, tally: &mut Tally) {
    let mut rng = Random::new(seed + 1);
    let mut checked = Checked::new(Config { propagate_rows: rng.chance(80), cuts: rng.chance(70) });
    let vars: Vec<VarId> =
        (0..family.ints + family.reals).map(|i| checked.arith.new_var(i < family.ints)).collect();
    let boxed: Vec<AtomLit> = vars[..family.ints]
        .iter()
        .flat_map(|&v| [checked.arith.atom_le(v, BOX.into()), checked.arith.atom_ge(v, (-BOX).into())])
        .map(|atom| AtomLit::new(atom, true))
        .collect();
    let atoms = random_atoms(family, &mut rng, &mut checked.arith, &vars);
    assert!(boxed.iter().all(|&lit| checked.assert(lit)));

    for _ in 0..6 {
        let mut consistent = true;
        for _ in 0..rng.below(5) {
            if rng.chance(50) {
                checked.push();
            }
            for _ in 0..=rng.below(3) {
                let atom = atoms[rng.below(atoms.len())];
                let equality = checked.arith.atom(atom).relation == Relation::Eq;
                let too_many = checked.asserted.iter().filter(|l| !l.positive).count() > 8;
                let lit =
                    AtomLit::new(atom, if equality { too_many || rng.chance(60) } else { rng.chance(50) });
                if checked.levels.is_empty() {
                    checked.push();
                }
                consistent = consistent && checked.assert(lit);
            }
            if consistent && rng.chance(60) {
                consistent = checked.check();
            }
        }
        let expected = oracle::satisfiable(&checked.arith, &vars, &checked.asserted, BOX);
        let actual = consistent && checked.solve(&mut 2000);
        assert_eq!(actual, expected, "seed {seed}: {:?}", checked.asserted);
        if consistent {
            tally.equal += verify_equalities(&checked);
        }
        *(if actual { &mut tally.sat } else { &mut tally.unsat }) += 1;
        let depth = checked.levels.len();
        checked.pop(if consistent { rng.below(depth + 1) } else { depth });
    }
    tally.cuts += checked.cuts;
    tally.divisibility += checked.divisibility;
    tally.implications += checked.implications;
    tally.by_rows += checked.by_rows;
}

fn random_atoms(family: &Family, rng: &mut Random, arith: &mut Arith, vars: &[VarId]) -> Vec<AtomId> {
    let mut pool = vars.to_vec();
    for _ in 0..family.rows {
        let mut form: Vec<(Rational, VarId)> = Vec::new();
        for _ in 0..=rng.below(3) {
            let den = if rng.chance(10) { 2 } else { 1 };
            let var = pool[rng.below(pool.len())];
            form.push((Rational::new(rng.between(-family.coeff, family.coeff), den), var));
        }
        pool.push(if rng.chance(50) { arith.row(&form) } else { arith.scaled_row(&form).1 });
    }
    let mut atoms = Vec::new();
    for _ in 0..family.atoms {
        let var = pool[rng.below(pool.len())];
        let den = if rng.chance(15) { 2 } else { 1 };
        let constant = Rational::new(rng.between(-family.constant, family.constant), den);
        atoms.push(if rng.chance(family.equalities) {
            arith.atom_eq(var, constant)
        } else if rng.chance(50) {
            arith.atom_le(var, constant)
        } else {
            arith.atom_ge(var, constant)
        });
    }
    atoms
}

/// Checks the certificates of all implied equalities and counts them.
fn verify_equalities(checked: &Checked) -> usize {
    let arith = &checked.arith;
    let mut count = 0;
    for x in arith.vars.ids() {
        for y in arith.vars.ids() {
            let Some((le, ge)) = arith.implied_equal(x, y) else { continue };
            let form = |a, b| [(Rational::ONE, a), (Rational::MINUS_ONE, b)];
            assert_eq!(check_bound(arith, &le, &form(x, y), &Rational::ZERO), Ok(()));
            assert_eq!(check_bound(arith, &ge, &form(y, x), &Rational::ZERO), Ok(()));
            assert!(le.iter().chain(&ge).all(|p| checked.asserted.contains(&p.lit)));
            count += usize::from(x != y);
        }
    }
    count
}

#[test]
fn rationals() {
    let family =
        Family { cases: 4000, ints: 0, reals: 3, rows: 4, atoms: 12, coeff: 3, constant: 4, equalities: 30 };
    let tally = run(&family);
    println!("{tally:?}");
    assert!(tally.sat > 1000 && tally.unsat > 1000 && tally.by_rows > 1000 && tally.equal > 100);
}

#[test]
fn integers() {
    let family =
        Family { cases: 3000, ints: 3, reals: 0, rows: 5, atoms: 14, coeff: 4, constant: 6, equalities: 30 };
    let tally = run(&family);
    println!("{tally:?}");
    assert!(tally.sat > 1000 && tally.unsat > 1000 && tally.cuts > 20 && tally.divisibility > 20);
}

#[test]
fn mixed() {
    let family =
        Family { cases: 1500, ints: 2, reals: 2, rows: 5, atoms: 12, coeff: 3, constant: 5, equalities: 30 };
    let tally = run(&family);
    println!("{tally:?}");
    assert!(tally.sat > 500 && tally.unsat > 500 && tally.by_rows > 200);
}

#[test]
fn integer_equations() {
    let family =
        Family { cases: 3000, ints: 4, reals: 0, rows: 5, atoms: 12, coeff: 6, constant: 9, equalities: 85 };
    let tally = run(&family);
    println!("{tally:?}");
    assert!(tally.sat > 500 && tally.unsat > 1000 && tally.divisibility > 100);
}

#[test]
fn differences() {
    let family =
        Family { cases: 4000, ints: 3, reals: 0, rows: 6, atoms: 20, coeff: 1, constant: 2, equalities: 30 };
    let tally = run(&family);
    println!("{tally:?}");
    assert!(tally.sat > 1000 && tally.unsat > 1000 && tally.equal > 100);
}
