//! What has to be refuted for `safe`.

use crate::claimed::Claimed;
use crate::{Certificate, Claim, Flaw, Text};
use bolide_base::Budget;
use bolide_term::{Store, Term};

/// Formulas that must not hold together.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What this shows, for messages.
    pub name: String,
    /// The formulas.
    pub formulas: Vec<Term>,
    /// The one of them that is the negation of what is to be shown, if there is one.
    pub negated_goal: Option<Term>,
}

/// The obligations of a certificate, and the store that their formulas live in.
///
/// Making them is deterministic: the same task and invariant give the same store, down to the order of its terms, on
/// which the text of a proof depends.
pub struct Obligations {
    /// The store.
    pub store: Store,
    /// What is to be refuted; `false` where simplification has refuted it already.
    pub list: Vec<Obligation>,
}

impl Obligations {
    /// None so far.
    pub(crate) fn new(store: Store) -> Obligations {
        Obligations { store, list: Vec::new() }
    }

    /// Adds one.
    pub(crate) fn push(&mut self, name: String, formulas: Vec<Term>) {
        let goal = self.store.fls();
        self.push_goal(name, formulas, goal);
    }

    /// Adds one: the formulas must not hold without the goal. If simplification has found that already, what is left to refute is
    /// `false`: every obligation has a refutation in the certificate.
    pub(crate) fn push_goal(&mut self, name: String, mut formulas: Vec<Term>, goal: Term) {
        let negated = self.store.not(goal);
        formulas.push(negated);
        formulas.retain(|&f| f != self.store.tru());
        let negated_goal = Some(negated).filter(|&n| n != self.store.tru());
        let no = self.store.fls();
        self.list.push(match formulas.contains(&no) {
            true => Obligation { name, formulas: vec![no], negated_goal: None },
            false => Obligation { name, formulas, negated_goal },
        });
    }
}

/// The obligations that the task, read as the claim says, and the invariant of a certificate for `safe` give rise to, or why
/// there are none.
pub fn obligations(
    task: &Text<'_>,
    claim: &Claim,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Obligations, Flaw> {
    Claimed::read(task, claim, certificate)?.obligations(certificate, budget)
}
