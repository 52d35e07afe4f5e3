//! Obligations as scripts for other solvers.

use bolide_cert::Obligations;
use bolide_smtlib::{print_declarations, print_term};
use std::fmt::Write;

/// Each obligation as a script that ought to be unsatisfiable.
pub fn obligation_scripts(obligations: &Obligations) -> impl Iterator<Item = String> {
    obligations.list.iter().map(|obligation| {
        let mut script = format!("; {}\n(set-info :status unsat)\n", obligation.name);
        let _ = write!(script, "{}", print_declarations(&obligations.store, &obligation.formulas));
        for &f in &obligation.formulas {
            let _ = writeln!(script, "(assert {})", print_term(&obligations.store, f));
        }
        script.push_str("(check-sat)\n");
        script
    })
}
