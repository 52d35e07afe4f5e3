//! Programs without calls as transition systems for other tools: the word-level format BTOR2 and plain SMT-LIB.
//!
//! A state is a location, `pc`, and values of the variables. Both writers take a program whose calls have been
//! inlined, and say where they meet something that the format has no words for.

mod btor2;
mod repr;
mod vc;

pub use btor2::write as write_btor2;
pub use vc::write as write_vc;

use crate::{Action, LocId, Procedure, Program, Span, Step};
use std::fmt;

/// Why a program cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Untranslatable {
    /// In a sentence.
    pub message: String,
    /// The text that it is about.
    pub span: Span,
}

impl fmt::Display for Untranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Untranslatable {}

/// An edge of a program without calls.
struct Move<'a> {
    from: LocId,
    to: LocId,
    step: &'a Step,
    span: Span,
}

/// The edges of the procedure where execution starts; an error if one of them is a call.
fn moves(program: &Program) -> Result<Vec<Move<'_>>, Untranslatable> {
    let main = program.main();
    let of = |e: &crate::EdgeId| {
        let edge = &main.edges[*e];
        match &edge.action {
            Action::Step(step) => Ok(Move { from: edge.from, to: edge.to, step, span: edge.span }),
            Action::Call(call) => Err(Untranslatable {
                message: format!(
                    "the call of `{}` cannot be inlined: a transition system has no stack (use --to chc)",
                    program.procs[call.callee].name
                ),
                span: edge.span,
            }),
        }
    };
    main.edges.ids().map(|e| of(&e)).collect()
}

/// Comment lines on what the program takes for granted or describes inexactly.
fn remarks(program: &Program, main: &Procedure) -> Vec<String> {
    let assumed = program.assumptions.iter().map(|a| format!("assumed: {}", a.text));
    let inexact = main.edges.iter().flat_map(|e| &e.approximations).map(|a| match a.bias {
        crate::Bias::Over => format!("over-approximates the task: {}", a.what),
        crate::Bias::Under => format!("allows less than the task: {}", a.what),
    });
    let mut lines: Vec<String> = assumed.chain(inexact).map(|l| l.replace(['\n', '\r'], " ")).collect();
    lines.sort();
    lines.dedup();
    lines
}
