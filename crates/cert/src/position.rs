//! Formulas in terms of positions.
//!
//! The names of variables that a pass makes up depend on what the store has seen before. Where such variables occur, a
//! formula is written with `v0`, `v1`, … for the first, the second, … of a list that is the same for everybody.

use crate::Flaw;
use crate::horn::formula_over;
use bolide_smtlib::print_term;
use bolide_term::{Func, Store, Substitution, Term};

/// The names of positions, as constants of the sorts of some variables.
fn names(store: &mut Store, variables: &[Term]) -> Vec<Term> {
    let name = |(n, &v): (usize, &Term)| {
        let sort = store.sort_of(v);
        store.var(&format!("v{n}"), sort)
    };
    variables.iter().enumerate().map(name).collect()
}

fn replace(store: &mut Store, from: &[Term], to: &[Term], formula: Term) -> Term {
    let mut substitution = Substitution::new();
    from.iter().zip(to).for_each(|(&f, &t)| substitution.insert(f, t));
    substitution.apply(store, formula)
}

/// A formula over some variables as text.
pub fn write(store: &mut Store, variables: &[Term], formula: Term) -> String {
    let names = names(store, variables);
    let renamed = replace(store, variables, &names, formula);
    print_term(store, renamed).to_string()
}

/// Reads a formula over some variables.
pub fn read(store: &mut Store, variables: &[Term], text: &str) -> Result<Term, Flaw> {
    let names = names(store, variables);
    let symbols: Vec<Func> = names.iter().filter_map(|&v| store.as_var(v)).collect();
    let formula = formula_over(store, &symbols, text)?;
    Ok(replace(store, &names, variables, formula))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_matter() {
        let mut store = Store::new();
        let int = store.int_sort();
        // One of the variables has the name of another position.
        let (a, b) = (store.fresh_var("x", int), store.var("v0", int));
        let less = store.lt(a, b);
        let text = write(&mut store, &[a, b], less);
        assert!(text.contains("v0") && text.contains("v1") && !text.contains('x'), "{text}");
        assert_eq!(read(&mut store, &[a, b], &text), Ok(less));
        assert!(read(&mut store, &[a], &text).is_err());
        assert!(read(&mut store, &[a, b], "(+ v0 1)").is_err());
    }
}
