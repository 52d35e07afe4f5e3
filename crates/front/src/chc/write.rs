//! Horn systems as text that other solvers read.

use bolide_model::horn::{Atom, Horn};
use bolide_smtlib::{print_datatypes, print_sort, print_symbol, print_term};
use bolide_term::{Op, Store};
use std::fmt::Write;

/// Writes a system as an SMT-LIB script of logic `HORN`, one assertion for each clause.
pub fn write(store: &mut Store, horn: &Horn) -> String {
    let mut out = String::from("(set-logic HORN)\n");
    let params = horn.preds.iter().flat_map(|p| p.params.iter().copied());
    let terms: Vec<_> = params.chain(horn.clauses.iter().flat_map(|c| c.terms())).collect();
    let _ = write!(out, "{}", print_datatypes(store, &terms));
    for p in &horn.preds {
        let sorts: Vec<String> =
            p.params.iter().map(|&v| print_sort(store, store.sort_of(v)).to_string()).collect();
        let _ = writeln!(out, "(declare-fun {} ({}) Bool)", print_symbol(&p.name), sorts.join(" "));
    }
    for c in &horn.clauses {
        let variables: Vec<String> = {
            let found = c.variables(store);
            let declared = |&v: &bolide_term::Term| {
                let sort = store.sort_of(v);
                format!("({} {})", print_term(store, v), print_sort(store, sort))
            };
            found.iter().map(declared).collect()
        };
        let mut body: Vec<String> = c.body.iter().map(|a| atom(store, horn, a)).collect();
        if store.op(c.constraint) != Op::True || body.is_empty() {
            body.push(print_term(store, c.constraint).to_string());
        }
        let body = if body.len() == 1 { body.concat() } else { format!("(and {})", body.join(" ")) };
        let head = c.head.as_ref().map_or("false".to_string(), |a| atom(store, horn, a));
        let _ = match variables.is_empty() {
            true => writeln!(out, "(assert (=> {body} {head}))"),
            false => writeln!(out, "(assert (forall ({}) (=> {body} {head})))", variables.join(" ")),
        };
    }
    out.push_str("(check-sat)\n");
    out
}

fn atom(store: &Store, horn: &Horn, a: &Atom) -> String {
    let name = print_symbol(&horn.pred(a.pred).name).to_string();
    if a.args.is_empty() {
        return name;
    }
    let args: Vec<String> = a.args.iter().map(|&t| print_term(store, t).to_string()).collect();
    format!("({name} {})", args.join(" "))
}
