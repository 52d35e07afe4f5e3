//! The head of an instance: an assertion that holds is resolved with what it presupposes until the fact that it derives remains.

use super::prove::Prover;
use super::terms::Id;
use rustc_hash::FxHashMap;

impl Prover {
    /// The unit clause of a fact, from one about a formula that it follows from.
    pub(super) fn extract(&mut self, formula: Id, sign: bool, unit: usize, goal: Id) -> Option<usize> {
        let (mut t, mut sign, mut unit) = (formula, sign, unit);
        let mut mentions = FxHashMap::default();
        loop {
            let (op, args) = self.terms.parts(t);
            if sign && self.is_predicate(t) {
                if self.canonical(t)? != goal {
                    return None;
                }
                if t == goal {
                    return Some(unit);
                }
                let same = self.congruent(t, goal)?;
                return Some(self.transfer((t, goal), false, same, true, unit));
            }
            // The part that is left, whether it is true, and the tautology that it comes from.
            let (part, truth) = match (&*op, &*args) {
                ("not", &[a]) => {
                    if !sign {
                        let twice = self.terms.not(t);
                        let thrice = self.terms.not(twice);
                        unit = self.resolve((vec![thrice, a], "not_not", None), vec![unit], a);
                    }
                    (t, sign) = (a, !sign);
                    continue;
                }
                ("forall", _) if sign => {
                    let (clause, instance) = self.instantiated(t)?;
                    unit = self.step(vec![instance], "resolution", vec![clause, unit]);
                    t = instance;
                    continue;
                }
                ("exists", _) if !sign => {
                    let (all, same) = self.dual(t)?;
                    let denied = self.terms.not(t);
                    unit = self.transfer((denied, all), true, same, true, unit);
                    (t, sign) = (all, true);
                    continue;
                }
                ("and" | "or", args @ [_, ..]) => {
                    let part = args.iter().position(|&a| self.mentions(a, goal, &mut mentions))?;
                    let is_and = &*op == "and";
                    if is_and == sign {
                        unit = self.part(
                            t,
                            sign,
                            unit,
                            (&args[part..=part], 0),
                            (if is_and { "and_pos" } else { "or_neg" }, Some(part)),
                        )?;
                    } else {
                        unit = self.part(
                            t,
                            sign,
                            unit,
                            (args, part),
                            (if is_and { "and_neg" } else { "or_pos" }, None),
                        )?;
                    }
                    (args[part], sign)
                }
                ("=>", &[a, b]) => {
                    let in_head = self.mentions(b, goal, &mut mentions);
                    let part = usize::from(in_head);
                    match sign {
                        true => unit = self.part(t, sign, unit, (&[a, b], part), ("implies_pos", None))?,
                        false => {
                            let rule = if in_head { "implies_neg2" } else { "implies_neg1" };
                            unit = self.part(t, sign, unit, (&args[part..=part], 0), (rule, None))?;
                        }
                    }
                    (args[part], sign == in_head)
                }
                ("ite", &[c, a, b]) => {
                    let (rule, chosen) = match (sign, self.truth(c)?) {
                        (true, true) => ("ite_pos2", a),
                        (true, false) => ("ite_pos1", b),
                        (false, true) => ("ite_neg2", a),
                        (false, false) => ("ite_neg1", b),
                    };
                    unit = self.part(t, sign, unit, (&[c, chosen], 1), (rule, None))?;
                    (chosen, sign)
                }
                ("=", &[a, b]) => {
                    let part = usize::from(!self.mentions(a, goal, &mut mentions));
                    let other = self.truth(if part == 0 { b } else { a })?;
                    let truth = other == sign;
                    let rule = match (sign, (part == 0) == other) {
                        (true, true) => "equiv_pos1",
                        (true, false) => "equiv_pos2",
                        (false, _) if other => "equiv_neg1",
                        (false, _) => "equiv_neg2",
                    };
                    unit = self.part(t, sign, unit, (&[a, b], part), (rule, None))?;
                    (if part == 0 { a } else { b }, truth)
                }
                _ => {
                    let (new, same) = self.rewritten(t)?;
                    unit = self.transfer((t, new), false, same, sign, unit);
                    t = new;
                    continue;
                }
            };
            (t, sign) = (part, truth);
        }
    }

    /// What a tautology about a formula says of one part, given a unit clause about the formula. Whether the tautology has the parts
    /// as they are or negated depends on its rule.
    fn part(
        &mut self,
        t: Id,
        sign: bool,
        unit: usize,
        (parts, wanted): (&[Id], usize),
        (rule, argument): (&'static str, Option<usize>),
    ) -> Option<usize> {
        let is_negated = |n: usize| match rule {
            "and_neg" | "or_neg" | "implies_neg2" | "equiv_neg1" => true,
            "implies_pos" | "ite_pos2" | "equiv_pos2" => n == 0,
            "equiv_pos1" | "ite_neg1" => n == 1,
            "ite_neg2" => true,
            _ => false,
        };
        let mut tautology = vec![self.literal(t, !sign)];
        let mut units = vec![unit];
        for (n, &part) in parts.iter().enumerate() {
            tautology.push(self.literal(part, !is_negated(n)));
            if n != wanted && part != parts[wanted] {
                units.push(self.prove(part, is_negated(n))?);
            }
        }
        let left = tautology[wanted + 1];
        Some(self.resolve((tautology, rule, argument), units, left))
    }

    /// Does a fact stand in a formula, as it is in this step?
    fn mentions(&mut self, t: Id, goal: Id, memo: &mut FxHashMap<Id, bool>) -> bool {
        if let Some(&known) = memo.get(&t) {
            return known;
        }
        let (op, args) = self.terms.parts(t);
        let found = match &*op {
            _ if self.is_predicate(t) => self.canonical(t) == Some(goal),
            "forall" | "exists" => match self.instance(t) {
                Some(instance) => self.mentions(instance, goal, memo),
                None => false,
            },
            "not" | "and" | "or" | "=>" | "xor" | "ite" | "=" | "distinct" => {
                args.iter().any(|&a| self.mentions(a, goal, memo))
            }
            _ => false,
        };
        memo.insert(t, found);
        found
    }
}
