//! Predicates, clauses and queries.

use crate::Span;
use bolide_base::index_type;
use bolide_term::{Func, Op, Sort, Store, Substitution, Term};
use rustc_hash::FxHashSet;

index_type! {
    /// A predicate of a [`Horn`] system.
    pub struct PredId("P");
}

/// An unknown predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The name as the user wrote it.
    pub name: Box<str>,
    /// Constants that stand for the arguments in interpretations; they occur in no clause.
    pub params: Vec<Term>,
}

/// What a predicate or a location stands for in another form of a task, with the constants that stand for each other; nothing if it
/// stands for nothing there.
pub type Counterpart<I> = Option<(I, Vec<(Term, Term)>)>;

/// A predicate applied to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The predicate.
    pub pred: PredId,
    /// One argument for each of its parameters.
    pub args: Vec<Term>,
}

/// `body and constraint => head`, for all values of the constants in it; a query if there is no head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// What follows; `None` stands for false.
    pub head: Option<Atom>,
    /// The predicates that are presupposed.
    pub body: Vec<Atom>,
    /// A quantifier-free formula without predicates.
    pub constraint: Term,
    /// The text that it came from.
    pub span: Span,
}

/// A system of constrained Horn clauses.
#[derive(Clone, Debug, Default)]
pub struct Horn {
    /// The predicates; a [`PredId`] is a position here.
    pub preds: Vec<Predicate>,
    /// The clauses, rules and queries alike.
    pub clauses: Vec<Clause>,
}

impl Clause {
    /// The terms that occur in the clause.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        let atoms = self.body.iter().chain(&self.head);
        atoms.flat_map(|a| a.args.iter().copied()).chain([self.constraint])
    }

    /// The constants that the clause quantifies, in order of first occurrence.
    pub fn variables(&self, store: &mut Store) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut out = Vec::new();
        for t in store.post_order(self.terms()) {
            if store.as_var(t).is_some() && seen.insert(t) {
                out.push(t);
            }
        }
        out
    }

    /// The clause with all terms rewritten.
    pub fn map(&self, mut f: impl FnMut(Term) -> Term) -> Clause {
        let mut atom = |a: &Atom| Atom { pred: a.pred, args: a.args.iter().map(|&t| f(t)).collect() };
        let body = self.body.iter().map(&mut atom).collect();
        let head = self.head.as_ref().map(&mut atom);
        Clause { head, body, constraint: f(self.constraint), span: self.span }
    }

    /// A copy with fresh constants, and the pairs of old and new ones.
    pub fn renamed(&self, store: &mut Store) -> (Clause, Vec<(Term, Term)>) {
        let mut subst = Substitution::new();
        let mut pairs = Vec::new();
        for v in self.variables(store) {
            let fresh = fresh_like(store, v);
            subst.insert(v, fresh);
            pairs.push((v, fresh));
        }
        (self.map(|t| subst.apply(store, t)), pairs)
    }
}

/// A fresh constant with the sort and, up to its number, the name of another.
pub(crate) fn fresh_like(store: &mut Store, v: Term) -> Term {
    let sort = store.sort_of(v);
    let prefix = match store.op(v) {
        Op::Apply(f) => {
            let name = &store.decl(f).name;
            name.rsplit_once('!').map_or(&**name, |(p, _)| p).to_string()
        }
        _ => "v".to_string(),
    };
    store.fresh_var(&prefix, sort)
}

impl Horn {
    /// Adds a predicate with parameters of these sorts.
    pub fn add_predicate(&mut self, store: &mut Store, name: &str, sorts: &[Sort]) -> PredId {
        let params =
            sorts.iter().enumerate().map(|(i, &s)| store.fresh_var(&format!("{name}.{i}"), s)).collect();
        self.preds.push(Predicate { name: name.into(), params });
        PredId::new(self.preds.len() - 1)
    }

    /// A predicate.
    pub fn pred(&self, p: PredId) -> &Predicate {
        &self.preds[p.index()]
    }

    /// All predicates.
    pub fn pred_ids(&self) -> impl Iterator<Item = PredId> + use<> {
        (0..self.preds.len()).map(PredId::new)
    }

    /// Is every body at most one atom?
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|c| c.body.len() <= 1)
    }

    /// For each predicate the positions of the clauses with it as head.
    pub fn definitions(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.preds.len()];
        for (n, c) in self.clauses.iter().enumerate() {
            if let Some(h) = &c.head {
                out[h.pred.index()].push(n);
            }
        }
        out
    }

    /// For each predicate the positions of the clauses with it in the body, once for each occurrence.
    pub fn uses(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.preds.len()];
        for (n, c) in self.clauses.iter().enumerate() {
            for a in &c.body {
                out[a.pred.index()].push(n);
            }
        }
        out
    }

    /// A formula over the parameters of an atom's predicate, at the atom's arguments.
    pub fn instantiate(&self, store: &mut Store, formula: Term, atom: &Atom) -> Term {
        let mut subst = Substitution::new();
        for (&p, &a) in self.pred(atom.pred).params.iter().zip(&atom.args) {
            subst.insert(p, a);
        }
        subst.apply(store, formula)
    }

    /// The datatypes of a system, with those of their fields, in a fixed order.
    pub fn datatypes(&self, store: &Store) -> Vec<Sort> {
        let params = self.preds.iter().flat_map(|p| p.params.iter().copied());
        let terms = self.clauses.iter().flat_map(|c| c.terms());
        let mut seen = FxHashSet::default();
        let mut todo: Vec<Sort> = store.post_order(params.chain(terms)).map(|t| store.sort_of(t)).collect();
        let mut out = Vec::new();
        while let Some(sort) = todo.pop() {
            if let Some(datatype) = store.datatype(sort)
                && seen.insert(sort)
            {
                out.push(sort);
                todo.extend(datatype.constructors.iter().flat_map(|c| &c.fields).map(|f| f.sort));
            }
        }
        out.sort_unstable();
        out
    }

    /// The symbols of the constants that all clauses use, with those of parameters.
    pub fn symbols(&self, store: &Store) -> Vec<Func> {
        let params = self.preds.iter().flat_map(|p| p.params.iter().copied());
        store.symbols(self.clauses.iter().flat_map(|c| c.terms()).chain(params))
    }
}
