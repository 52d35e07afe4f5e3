//! Unit clauses from evaluation: a formula without variables that is true is proved, one that is false is refuted, from its parts.

use super::print::{Command, text};
use super::terms::{Definitions, Id, Terms, number};
use super::values::{Values, Worth};
use super::{Alethe, Flaw};
use bolide::report::DerivedFact;
use rustc_hash::FxHashMap;

/// Makes the steps of a proof.
pub(super) struct Prover {
    pub(super) terms: Terms,
    pub(super) values: Values,
    commands: Vec<Command>,
    holes: usize,
    /// The assertions by the places where they start, with the steps that assume them.
    assertions: FxHashMap<usize, (Id, Option<usize>)>,
    /// The sorts of the predicates' parameters.
    predicates: FxHashMap<Id, Vec<Id>>,
    /// The facts that were derived, and the steps.
    facts: FxHashMap<Id, usize>,
    /// Unit clauses that were proved: a formula that is true, or one that is false.
    units: FxHashMap<(Id, bool), usize>,
    /// Equalities of terms and their values that were proved.
    pub(super) equalities: FxHashMap<Id, usize>,
    /// The values of variables in this step of the derivation.
    instance: FxHashMap<Id, Id>,
    /// What is known about formulas in this step.
    truths: FxHashMap<Id, Option<bool>>,
    /// Instances of quantified formulas in this step.
    instances: FxHashMap<Id, Id>,
}

impl Prover {
    pub(super) fn new(text: &[u8]) -> Result<Prover, Flaw> {
        let source = std::str::from_utf8(text).map_err(|_| Flaw::Unread)?;
        let (mut terms, mut definitions) = (Terms::default(), Definitions::default());
        let (mut assertions, mut predicates) = (FxHashMap::default(), FxHashMap::default());
        for (command, place) in terms.read(source)? {
            let (name, args) = terms.parts(command);
            match (&*name, &*args) {
                ("assert", &[t]) => {
                    let t = definitions.expand(&mut terms, t)?;
                    assertions.insert(place.start, (t, None));
                }
                ("declare-fun", &[name, params, sort]) if terms.text(sort) == "Bool" => {
                    predicates.insert(name, terms.members(params).to_vec());
                }
                ("declare-const", &[name, sort]) if terms.text(sort) == "Bool" => {
                    predicates.insert(name, Vec::new());
                }
                ("define-fun", &[name, params, _, body]) => {
                    let params = terms.members(params);
                    let name_of = |p: &Id| terms.members(*p).first().copied();
                    let params: Vec<Id> = params.iter().filter_map(name_of).collect();
                    definitions.define(&mut terms, name, params, body)?;
                }
                ("define-const", &[name, _, body]) => {
                    definitions.define(&mut terms, name, Vec::new(), body)?;
                }
                (
                    "rule" | "query" | "declare-rel" | "declare-var" | "define-fun-rec" | "define-funs-rec",
                    _,
                ) => {
                    return Err(Flaw::Unread);
                }
                _ => {}
            }
        }
        Ok(Prover {
            terms,
            values: Values::new(text)?,
            commands: Vec::new(),
            holes: 0,
            assertions,
            predicates,
            facts: FxHashMap::default(),
            units: FxHashMap::default(),
            equalities: FxHashMap::default(),
            instance: FxHashMap::default(),
            truths: FxHashMap::default(),
            instances: FxHashMap::default(),
        })
    }

    /// Proves the fact of a step of the derivation, or that the last one contradicts its assertion.
    pub(super) fn derive(&mut self, n: usize, step: &DerivedFact) -> Result<(), Flaw> {
        let (assertion, assumed) = *self.assertions.get(&step.span.start).ok_or(Flaw::Unread)?;
        self.instance.clear();
        self.truths.clear();
        self.instances.clear();
        for (name, value) in step.values.as_ref().ok_or(Flaw::Names)? {
            let mut read = |text: &str| Some(self.terms.read(text).ok()?.first()?.0);
            let (Some(name), Some(value)) = (read(name), read(value)) else { return Err(Flaw::Step(n)) };
            self.instance.insert(name, value);
        }
        let goal = if step.fact == "false" {
            None
        } else {
            let fact = self.terms.read(&step.fact)?.first().map(|&(fact, _)| fact);
            let goal = fact.and_then(|fact| self.canonical(fact)).ok_or(Flaw::Step(n))?;
            if self.facts.contains_key(&goal) {
                return Ok(());
            }
            Some(goal)
        };
        let assumed = assumed.unwrap_or_else(|| {
            self.commands.push(Command::Assume(assertion));
            self.commands.len() - 1
        });
        self.assertions.insert(step.span.start, (assertion, Some(assumed)));
        match goal {
            None => {
                let denied = self.prove(assertion, false).ok_or(Flaw::Step(n))?;
                self.step(Vec::new(), "resolution", vec![denied, assumed]);
            }
            Some(goal) => {
                let fact = self.extract(assertion, true, assumed, goal).ok_or(Flaw::Step(n))?;
                self.facts.insert(goal, fact);
                self.units.insert((goal, true), fact);
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Alethe {
        let mut proof = text(&self.terms, &self.commands);
        if self.holes > 0 {
            let (steps, noun) = (self.commands.len(), if self.holes == 1 { "hole" } else { "holes" });
            proof.insert_str(0, &format!("; {} {noun} in {steps} steps\n", self.holes));
        }
        Alethe { text: proof, steps: self.commands.len(), holes: self.holes }
    }

    pub(super) fn step(&mut self, clause: Vec<Id>, rule: &'static str, premises: Vec<usize>) -> usize {
        self.step_with(clause, rule, premises, Vec::new())
    }

    pub(super) fn step_with(
        &mut self,
        clause: Vec<Id>,
        rule: &'static str,
        premises: Vec<usize>,
        args: Vec<String>,
    ) -> usize {
        self.holes += usize::from(rule == "hole");
        self.commands.push(Command::Step { clause, rule, premises, args });
        self.commands.len() - 1
    }

    /// A literal: a formula, or its negation.
    pub(super) fn literal(&mut self, t: Id, sign: bool) -> Id {
        if sign { t } else { self.terms.not(t) }
    }

    /// A tautology resolved with unit clauses, and what is left of it.
    pub(super) fn resolve(
        &mut self,
        (tautology, rule, args): (Vec<Id>, &'static str, Option<usize>),
        mut units: Vec<usize>,
        left: Id,
    ) -> usize {
        let args = args.map(|n| n.to_string()).into_iter().collect();
        units.sort_unstable();
        units.dedup();
        let twice: Vec<usize> = units.iter().copied().filter(|&u| self.serves_twice(u, &tautology)).collect();
        let mut premises = vec![self.step_with(tautology, rule, Vec::new(), args)];
        premises.extend(units);
        premises.extend(twice);
        self.step(vec![left], "resolution", premises)
    }

    /// Does a unit clause that is a negation take two literals away: what it denies, and the denial of itself?
    fn serves_twice(&mut self, unit: usize, clause: &[Id]) -> bool {
        let Some(Command::Step { clause: literals, .. }) = self.commands.get(unit) else { return false };
        let &[literal] = &literals[..] else { return false };
        let (name, args) = self.terms.parts(literal);
        let denial = self.terms.not(literal);
        matches!((&*name, &*args), ("not", [denied]) if clause.contains(denied)) && clause.contains(&denial)
    }

    /// The fact that a predicate applied to terms is, with values as arguments.
    pub(super) fn canonical(&mut self, t: Id) -> Option<Id> {
        let all = self.terms.members(t);
        let Some((&predicate, args)) = all.split_first() else {
            return self.predicates.contains_key(&t).then_some(t);
        };
        let sorts = self.predicates.get(&predicate)?.clone();
        let mut fact = vec![predicate];
        for (&a, &sort) in args.iter().zip(&sorts) {
            let is_real = self.terms.text(sort) == "Real";
            fact.push(self.value_term(a, is_real)?);
        }
        (fact.len() == all.len() && sorts.len() == args.len()).then(|| self.terms.list(&fact))
    }

    /// The value of a term as a term.
    pub(super) fn value_term(&mut self, t: Id, is_real: bool) -> Option<Id> {
        Some(match self.values.of(&mut self.terms, t)? {
            Worth::Bool(b) => self.terms.atom(if b { "true" } else { "false" }),
            Worth::Number(n) => number(&mut self.terms, &n, is_real),
            Worth::Other(id) => id,
        })
    }

    pub(super) fn is_predicate(&self, t: Id) -> bool {
        let head = self.terms.members(t).first().copied().unwrap_or(t);
        self.predicates.contains_key(&head)
    }

    /// Is a term a formula?
    pub(super) fn is_formula(&mut self, t: Id) -> bool {
        let (op, args) = self.terms.parts(t);
        match (&*op, &*args) {
            ("ite", &[_, a, _]) => self.is_formula(a),
            ("not" | "and" | "or" | "=>" | "xor" | "forall" | "exists" | "=" | "distinct", [_, ..]) => true,
            ("<" | "<=" | ">" | ">=", [_, ..]) => true,
            _ if self.is_predicate(t) => true,
            _ => matches!(self.values.of(&mut self.terms, t), Some(Worth::Bool(_))),
        }
    }

    /// Is a formula true or false, as far as facts and values tell?
    pub(super) fn truth(&mut self, t: Id) -> Option<bool> {
        if let Some(&known) = self.truths.get(&t) {
            return known;
        }
        let truth = self.find_truth(t);
        self.truths.insert(t, truth);
        truth
    }

    fn find_truth(&mut self, t: Id) -> Option<bool> {
        let (op, args) = self.terms.parts(t);
        let op = &*op;
        // The operator of a chain that one argument decides, if it has this value.
        let decides = |p: &mut Prover, args: &[Id], value: bool| {
            let truths: Vec<Option<bool>> = args.iter().map(|&a| p.truth(a)).collect();
            match truths.contains(&Some(value)) {
                true => Some(true),
                false if truths.iter().all(|t| *t == Some(!value)) => Some(false),
                false => None,
            }
        };
        match (op, &*args) {
            ("not", &[a]) => self.truth(a).map(|b| !b),
            ("or", args @ [_, ..]) => decides(self, args, true),
            ("and", args @ [_, ..]) => decides(self, args, false).map(|b| !b),
            ("=>", &[ref body @ .., head]) if !body.is_empty() => {
                match (decides(self, body, false), self.truth(head)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            ("ite", &[c, a, b]) if self.is_formula(t) => {
                if self.truth(c)? {
                    self.truth(a)
                } else {
                    self.truth(b)
                }
            }
            ("=" | "xor" | "distinct", &[a, b]) if self.is_formula(a) || self.is_formula(b) => {
                Some((self.truth(a)? == self.truth(b)?) == (op == "="))
            }
            ("forall" | "exists", &[_, _]) => {
                let instance = self.instance(t)?;
                self.truth(instance).filter(|&b| b == (op == "exists"))
            }
            _ if self.is_predicate(t) => {
                let fact = self.canonical(t)?;
                self.facts.contains_key(&fact).then_some(true)
            }
            _ => self.values.of(&mut self.terms, t)?.as_bool(),
        }
    }

    /// The variables of a quantified formula with their sorts.
    fn variables(&self, t: Id) -> Vec<(Id, Id)> {
        let of = |v: &Id| match &*self.terms.members(*v) {
            &[name, sort] => Some((name, sort)),
            _ => None,
        };
        self.terms
            .members(t)
            .get(1)
            .map_or(Vec::new(), |&v| self.terms.members(v).iter().filter_map(of).collect())
    }

    /// The instance of a quantified formula that this step of the derivation is about.
    pub(super) fn instance(&mut self, t: Id) -> Option<Id> {
        if let Some(&known) = self.instances.get(&t) {
            return Some(known);
        }
        let body = *self.terms.members(t).get(2)?;
        let by =
            self.variables(t).into_iter().map(|v| Some((v.0, self.value_of(v)?))).collect::<Option<_>>()?;
        let instance = self.terms.substitute(body, &by);
        self.instances.insert(t, instance);
        Some(instance)
    }

    /// The value of a variable.
    fn value_of(&mut self, (name, sort): (Id, Id)) -> Option<Id> {
        match self.instance.get(&name) {
            Some(&value) => Some(value),
            None => self.values.default_of(&mut self.terms, sort),
        }
    }

    /// The clause that a universally quantified formula is false or its instance is true.
    pub(super) fn instantiated(&mut self, t: Id) -> Option<(usize, Id)> {
        let instance = self.instance(t)?;
        let mut args = Vec::new();
        for v in self.variables(t) {
            let value = self.value_of(v)?;
            args.push(format!("(:= {} {})", self.terms.print(v.0), self.terms.print(value)));
        }
        let denied = self.terms.not(t);
        let either = self.terms.app("or", &[denied, instance]);
        let step = self.step_with(vec![either], "forall_inst", Vec::new(), args);
        Some((self.step(vec![denied, instance], "or", vec![step]), instance))
    }

    /// For `(exists X B)` the formula `(forall X (not B))`, and a step by which it is the negation.
    pub(super) fn dual(&mut self, t: Id) -> Option<(Id, usize)> {
        let &[_, variables, body] = &*self.terms.members(t) else { return None };
        let denied = self.terms.not(body);
        let twice = self.terms.not(denied);
        let all = self.terms.app("forall", &[variables, denied]);
        let some = self.terms.app("exists", &[variables, twice]);
        let (not_some, not_t) = (self.terms.not(some), self.terms.not(t));
        self.commands.push(Command::Anchor(self.variables(t)));
        let inner = self.terms.eq(twice, body);
        self.step(vec![inner], "not_simplify", Vec::new());
        let same = self.terms.eq(some, t);
        let bound = self.step(vec![same], "bind", Vec::new());
        let definition = self.terms.eq(all, not_some);
        let defined = self.step(vec![definition], "connective_def", Vec::new());
        let denials = self.terms.eq(not_some, not_t);
        let congruent = self.step(vec![denials], "cong", vec![bound]);
        let dual = self.terms.eq(all, not_t);
        Some((all, self.step(vec![dual], "trans", vec![defined, congruent])))
    }

    /// What a formula is rewritten to because the operator has no rules of its own, and the step that says so.
    pub(super) fn rewritten(&mut self, t: Id) -> Option<(Id, usize)> {
        let (op, args) = self.terms.parts(t);
        let (new, rule) = match (&*op, &*args) {
            ("=>", &[first, ref rest @ ..]) if rest.len() > 1 => {
                let (&last, before) = rest.split_last()?;
                let nested = before.iter().rev().fold(last, |head, &a| self.terms.app("=>", &[a, head]));
                (self.terms.app("=>", &[first, nested]), "nary_elim")
            }
            ("=", args) if args.len() > 2 => {
                let pairs: Vec<Id> = args.windows(2).map(|w| self.terms.eq(w[0], w[1])).collect();
                (self.terms.app("and", &pairs), "nary_elim")
            }
            ("xor", &[a, b]) => {
                let (not_a, not_b) = (self.terms.not(a), self.terms.not(b));
                let (left, right) = (self.terms.app("and", &[not_a, b]), self.terms.app("and", &[a, not_b]));
                (self.terms.app("or", &[left, right]), "connective_def")
            }
            ("distinct", args) if args.len() == 2 || (args.len() > 2 && !self.is_formula(args[0])) => {
                let mut pairs = Vec::new();
                for (i, &a) in args.iter().enumerate() {
                    for &b in &args[i + 1..] {
                        let same = self.terms.eq(a, b);
                        pairs.push(self.terms.not(same));
                    }
                }
                let new = if let [only] = pairs[..] { only } else { self.terms.app("and", &pairs) };
                (new, "distinct_elim")
            }
            ("not", &[a]) => match (&*self.terms.parts(a).0, &*self.terms.parts(a).1) {
                ("not", &[inner]) => (inner, "not_simplify"),
                _ => return None,
            },
            _ => return None,
        };
        let same = self.terms.eq(t, new);
        Some((new, self.step(vec![same], rule, Vec::new())))
    }

    /// From a unit clause about one of two formulas that a step says are the same, one about the other.
    pub(super) fn transfer(
        &mut self,
        (from, to): (Id, Id),
        is_flipped: bool,
        same: usize,
        sign: bool,
        unit: usize,
    ) -> usize {
        let (a, b) = if is_flipped { (to, from) } else { (from, to) };
        let equality = self.terms.eq(a, b);
        let denied = self.terms.not(equality);
        let left = self.literal(to, sign);
        let (not_a, not_b) = (self.terms.not(a), self.terms.not(b));
        let tautology = match sign == is_flipped {
            true => (vec![denied, a, not_b], "equiv_pos1", None),
            false => (vec![denied, not_a, b], "equiv_pos2", None),
        };
        self.resolve(tautology, vec![same, unit], left)
    }

    /// A unit clause: the formula if it is true, its negation if it is false. For a negation, the one about what it negates.
    pub(super) fn prove(&mut self, t: Id, sign: bool) -> Option<usize> {
        if let Some(&known) = self.units.get(&(t, sign)) {
            return Some(known);
        }
        if self.truth(t) != Some(sign) {
            return None;
        }
        let (op, args) = self.terms.parts(t);
        let unit = match (&*op, &*args) {
            ("not", &[a]) if &*self.terms.parts(a).0 != "not" => self.prove(a, !sign)?,
            ("true", []) => self.step(vec![t], "true", Vec::new()),
            ("false", []) => {
                let denied = self.terms.not(t);
                self.step(vec![denied], "false", Vec::new())
            }
            ("forall" | "exists", _) => self.prove_quantified(t, sign)?,
            _ => match self.connective(t, sign)? {
                Some(unit) => unit,
                None if self.is_predicate(t) => self.prove_fact(t)?,
                None => match self.rewritten(t) {
                    Some((new, same)) => {
                        let unit = self.prove(new, sign)?;
                        self.transfer((new, t), true, same, sign, unit)
                    }
                    None => self.prove_atom(t, sign)?,
                },
            },
        };
        self.units.insert((t, sign), unit);
        Some(unit)
    }

    /// The unit clause of a formula with a connective that has tautologies.
    fn connective(&mut self, t: Id, sign: bool) -> Option<Option<usize>> {
        let (op, args) = self.terms.parts(t);
        let left = self.literal(t, sign);
        let mut needs: Vec<(Id, bool)> = Vec::new();
        let (rule, argument) = match (&*op, &*args) {
            ("and" | "or", args @ [_, ..]) => {
                let is_and = &*op == "and";
                if is_and == sign {
                    needs.extend(args.iter().map(|&a| (a, sign)));
                    (if is_and { "and_neg" } else { "or_pos" }, None)
                } else {
                    let n = args.iter().position(|&a| self.truth(a) == Some(sign))?;
                    needs.push((args[n], sign));
                    (if is_and { "and_pos" } else { "or_neg" }, Some(n))
                }
            }
            ("=>", &[a, b]) => match (sign, self.truth(a)) {
                (false, _) => {
                    needs.extend([(a, true), (b, false)]);
                    ("implies_pos", None)
                }
                (true, Some(false)) => {
                    needs.push((a, false));
                    ("implies_neg1", None)
                }
                (true, _) => {
                    needs.push((b, true));
                    ("implies_neg2", None)
                }
            },
            ("ite", &[c, a, b]) if self.is_formula(t) => {
                let condition = self.truth(c)?;
                needs.extend([(c, condition), (if condition { a } else { b }, sign)]);
                let rule = match (sign, condition) {
                    (true, false) => "ite_neg1",
                    (true, true) => "ite_neg2",
                    (false, false) => "ite_pos1",
                    (false, true) => "ite_pos2",
                };
                (rule, None)
            }
            ("=", &[a, b]) if self.is_formula(a) || self.is_formula(b) => {
                let (x, y) = (self.truth(a)?, self.truth(b)?);
                needs.extend([(a, x), (b, y)]);
                let rule = match (x, y) {
                    (true, true) => "equiv_neg1",
                    (false, false) => "equiv_neg2",
                    (true, false) => "equiv_pos2",
                    (false, true) => "equiv_pos1",
                };
                (rule, None)
            }
            _ => return Some(None),
        };
        let mut tautology = vec![left];
        let mut units = Vec::new();
        for (part, truth) in needs {
            tautology.push(self.literal(part, !truth));
            units.push(self.prove(part, truth)?);
        }
        Some(Some(self.resolve((tautology, rule, argument), units, left)))
    }

    fn prove_quantified(&mut self, t: Id, sign: bool) -> Option<usize> {
        let not_t = self.terms.not(t);
        if !sign {
            let (clause, instance) = self.instantiated(t)?;
            let unit = self.prove(instance, false)?;
            return Some(self.step(vec![not_t], "resolution", vec![clause, unit]));
        }
        let witness = self.instance(t)?;
        let (all, same) = self.dual(t)?;
        self.prove(witness, true)?;
        let denied = self.prove(all, false)?;
        let twice = self.terms.not(not_t);
        let equality = self.terms.eq(all, not_t);
        let not_equal = self.terms.not(equality);
        let unit = self.resolve((vec![not_equal, all, twice], "equiv_pos1", None), vec![same, denied], twice);
        let thrice = self.terms.not(twice);
        Some(self.resolve((vec![thrice, t], "not_not", None), vec![unit], t))
    }

    /// A predicate applied to terms, from the fact that it is.
    fn prove_fact(&mut self, t: Id) -> Option<usize> {
        let fact = self.canonical(t)?;
        let unit = *self.facts.get(&fact)?;
        if fact == t {
            return Some(unit);
        }
        let same = self.congruent(t, fact)?;
        Some(self.transfer((fact, t), true, same, true, unit))
    }

    /// The step that an application is the one to the values of its arguments.
    pub(super) fn congruent(&mut self, t: Id, new: Id) -> Option<usize> {
        let (old, values) = (self.terms.members(t), self.terms.members(new));
        let mut premises = Vec::new();
        for (&a, &value) in old.iter().zip(values.iter()) {
            if a != value {
                premises.push(self.equal_value(a, value)?);
            }
        }
        let same = self.terms.eq(t, new);
        Some(self.step(vec![same], "cong", premises))
    }
}
