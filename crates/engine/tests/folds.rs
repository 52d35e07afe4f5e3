//! Interpretations that speak of folds, as the check sees them.

use bolide_base::{Budget, Stats};
use bolide_engine::Verdict;
use bolide_engine::horn::{Engine, Settings, check_interpretation, solve_with};
use bolide_model::Span;
use bolide_model::horn::{Atom, Clause, Fold, Folds, Horn, Interpretation, PredId, TypeFact};
use bolide_term::{Sort, Store, Term};

/// Lists of integers: nothing, or an element before another list.
fn lists(store: &mut Store) -> Sort {
    let list = store.new_datatype("List", &[]);
    let cons = vec![("head".into(), Sort::INT), ("tail".into(), list)];
    let constructors = vec![("nil".into(), Vec::new()), ("cons".into(), cons)];
    store.define_datatypes(&[(list, constructors)]).expect("lists");
    list
}

/// `len` relates a list with its length, and a query asks for a length below a bound.
fn length(store: &mut Store, list: Sort, bound: i64) -> Horn {
    let mut horn = Horn::default();
    let len = horn.add_predicate(store, "len", &[list, Sort::INT]);
    let atom = |args: &[Term]| Atom { pred: len, args: args.to_vec() };
    let (x, h, n) = (store.var("x", list), store.var("h", Sort::INT), store.var("n", Sort::INT));
    let (nil, zero, one) = (store.construct(list, 0, &[]), store.int(0), store.int(1));
    let longer = store.construct(list, 1, &[h, x]);
    let next = store.add(&[n, one]);
    let bound = store.int(bound);
    let clauses = [
        (Some(atom(&[nil, zero])), vec![], store.tru()),
        (Some(atom(&[longer, next])), vec![atom(&[x, n])], store.tru()),
        (None, vec![atom(&[x, n])], store.lt(n, bound)),
    ];
    for (head, body, constraint) in clauses {
        horn.clauses.push(Clause { head, body, constraint, span: Span::default() });
    }
    horn
}

/// The length, from what `nil` has and what `cons` adds, and a fact about it.
fn fold(store: &mut Store, list: Sort, start: i64, step: i64, least: i64) -> Folds {
    let func = store.func("@fold.0", &[list], Sort::INT);
    let value = store.var("@value.0", list);
    let tail = store.raw_field(1, 1, value);
    let (start, step, least) = (store.int(start), store.int(step), store.int(least));
    let (of_tail, of_value) = (store.apply(func, &[tail]), store.apply(func, &[value]));
    let cases = vec![start, store.add(&[of_tail, step])];
    let facts = vec![TypeFact { value, formula: store.ge(of_value, least) }];
    Folds { folds: vec![Fold { func, value, cases }], facts, ..Folds::default() }
}

#[test]
fn definitions_and_facts_are_checked() {
    let budget = Budget::unlimited();
    for (bound, start, step, least, holds) in [
        (0, 0, 1, 0, true),
        (0, 0, 1, -5, false),
        (0, 0, 1, 1, false),
        (0, 0, -1, 0, false),
        (0, 0, 2, 0, false),
        (0, 1, 1, 0, false),
        (1, 0, 1, 0, false),
        (1, 0, 1, 1, false),
    ] {
        let mut store = Store::new();
        let list = lists(&mut store);
        let horn = length(&mut store, list, bound);
        let folds = fold(&mut store, list, start, step, least);
        let params = horn.pred(PredId::new(0)).params.clone();
        let applied = folds.apply(&mut store, 0, params[0]);
        let formulas = vec![store.eq(params[1], applied)];
        let found = check_interpretation(&mut store, &horn, Interpretation { formulas, folds }, &budget);
        assert_eq!(found.is_ok(), holds, "{:?}", (bound, start, step, least));
    }
}

#[test]
fn recursion_over_the_value_itself_is_no_definition() {
    let mut store = Store::new();
    let list = lists(&mut store);
    let horn = length(&mut store, list, 1);
    let mut folds = fold(&mut store, list, 0, 1, 0);
    let (value, one) = (folds.folds[0].value, store.int(1));
    let itself = folds.apply(&mut store, 0, value);
    folds.folds[0].cases[1] = store.add(&[itself, one]);
    let formulas = vec![store.tru()];
    let found =
        check_interpretation(&mut store, &horn, Interpretation { formulas, folds }, &Budget::unlimited());
    assert!(found.is_err());
}

/// An interpretation that depends on a parameter holds for all values of it; a query chooses one that does not depend on it.
#[test]
fn parameters_are_chosen_by_terms_of_the_clause() {
    let mut store = Store::new();
    let list = lists(&mut store);
    let horn = length(&mut store, list, 1);
    let mut folds = fold(&mut store, list, 0, 1, 0);
    let (param, one) = (store.var("@param.0", Sort::INT), store.int(1));
    let other = store.add(&[param, one]);
    folds.params = vec![param];
    folds.instances = vec![(2, vec![other])];
    let formulas = vec![store.tru()];
    let found =
        check_interpretation(&mut store, &horn, Interpretation { formulas, folds }, &Budget::unlimited());
    assert!(found.is_err());
}

#[test]
fn engines_find_folds() {
    for (bound, safe) in [(0, true), (1, false)] {
        let mut store = Store::new();
        let list = lists(&mut store);
        let horn = length(&mut store, list, bound);
        let settings = Settings { folds: true, ..Settings::default() };
        let budget = Budget::unlimited();
        let found = solve_with(&mut store, &horn, Engine::Pdr, &settings, &budget, &mut Stats::new());
        // Lists are more than their folds, so a derivation does not come back.
        assert_eq!(matches!(found, Verdict::Safe(_)), safe);
        assert_eq!(matches!(found, Verdict::Unknown(_)), !safe);
    }
}
