//! Programs as the engines want them, with the ways back to the program that was read.

use crate::Options;
use bolide_base::Budget;
use bolide_cert::program::INLINE_LIMIT;
use bolide_engine::board::Board;
use bolide_engine::{Reason, ReasonCode};
use bolide_front::c::Ints;
use bolide_model::Program;
use bolide_model::program::back::BackMap;
use bolide_model::program::pass::{self, Abstraction, Blocks, PrepareError};
use bolide_term::{Op, Store, Term};
use std::sync::Arc;

/// Programs with more edges are not over-approximated.
const ABSTRACT_EDGES: usize = 500;

/// Programs with more edges are not looked at bit by bit.
const WORDS_EDGES: usize = 500;

/// A program as the engines want it.
pub struct Prepared {
    /// The program.
    pub program: Program,
    /// The way back from it.
    pub maps: Vec<BackMap>,
    /// The same under the assumption that integers do not wrap, if there are no calls.
    pub no_overflow: Option<(Program, Vec<BackMap>)>,
    /// Over-approximations.
    pub abstracted: Vec<Abstracted>,
    /// The program as it was read.
    pub original: Program,
    /// Where engines exchange facts about each of these programs. Those with the same locations have the same board.
    boards: Vec<Arc<Board>>,
}

/// An over-approximation of a program, as it is and without wraps.
pub struct Abstracted {
    /// How it was made.
    pub abstraction: Abstraction,
    /// The program.
    pub program: Program,
    /// The same under the assumption that integers do not wrap.
    pub no_overflow: Program,
}

impl Prepared {
    /// Prepares a program, or says why that is not possible.
    pub fn new(
        store: &mut Store,
        program: &Program,
        options: &Options,
        budget: &Budget,
    ) -> Result<Prepared, Reason> {
        let ((prepared, maps), no_overflow) = match options.program.ints {
            Ints::Machine => pass::prepare_both(store, program, options.blocks, INLINE_LIMIT, budget),
            Ints::Unbounded => pass::prepare_blocks(store, program, options.blocks, INLINE_LIMIT, budget)
                .map(|program| (program, None)),
        }
        .map_err(reason)?;
        let is_small = prepared.main().edges.len() <= ABSTRACT_EDGES && !prepared.main().has_calls();
        let abstracted = if is_small { abstractions(store, program, options, budget) } else { Vec::new() };
        let mut prepared = Prepared {
            program: prepared,
            maps,
            no_overflow,
            abstracted,
            original: program.clone(),
            boards: Vec::new(),
        };
        prepared.boards = boards(store, &prepared.forms());
        Ok(prepared)
    }

    /// The programs that engines may work on.
    fn forms(&self) -> Vec<&Program> {
        let abstracted = self.abstracted.iter().flat_map(|a| [&a.program, &a.no_overflow]);
        [&self.program]
            .into_iter()
            .chain(self.no_overflow.as_ref().map(|(p, _)| p))
            .chain(abstracted)
            .collect()
    }

    /// Where facts about a program are exchanged, if it is one of these.
    pub fn board(&self, program: &Program) -> Option<&Arc<Board>> {
        let number = self.forms().into_iter().position(|form| std::ptr::eq(form, program))?;
        self.boards.get(number)
    }

    /// Is it worth while to look at bits? There are remainders or quotients, of which bit operations are made, and not too much else.
    pub fn suits_words(&self, store: &Store) -> bool {
        let main = self.program.main();
        let steps = main.edges.iter().filter_map(|e| e.step());
        let roots: Vec<Term> = steps.flat_map(|s| s.terms()).collect();
        let divides = |t: Term| matches!(store.op(t), Op::Mod | Op::Div);
        main.edges.len() <= WORDS_EDGES && !self.has_calls() && store.post_order(roots).any(divides)
    }

    /// Are there calls that could not be inlined?
    pub fn has_calls(&self) -> bool {
        self.program.main().has_calls()
    }
}

/// A board for each program. A fact about one program is a good guess about another one that only takes other steps between the same
/// locations; whoever reads it finds out whether it holds there.
fn boards(store: &Store, forms: &[&Program]) -> Vec<Arc<Board>> {
    let locations = |p: &Program| p.main().locations.iter().map(|l| (l.span, l.error)).collect::<Vec<_>>();
    let shapes: Vec<_> = forms.iter().map(|p| locations(p)).collect();
    let mut boards: Vec<Arc<Board>> = Vec::new();
    for n in 0..forms.len() {
        let first = shapes[..n].iter().position(|shape| *shape == shapes[n]);
        boards.push(first.map_or_else(|| Board::new(store.mark()), |first| boards[first].clone()));
    }
    boards
}

/// Why a program could not be prepared.
pub fn reason(error: PrepareError) -> Reason {
    match error {
        PrepareError::Interrupted(interrupt) => interrupt.into(),
        other => Reason::new(ReasonCode::Unsupported, other.to_string()),
    }
}

/// The over-approximations of a program.
fn abstractions(store: &mut Store, program: &Program, options: &Options, budget: &Budget) -> Vec<Abstracted> {
    let blocks = match options.blocks {
        Blocks::Large => Blocks::Unsplit,
        other => other,
    };
    let prepared = match options.program.ints {
        Ints::Machine => pass::prepare_both(store, program, blocks, INLINE_LIMIT, budget)
            .map(|((program, _), no_overflow)| (program, no_overflow.map(|(program, _)| program))),
        Ints::Unbounded => pass::prepare_blocks(store, program, blocks, INLINE_LIMIT, budget)
            .map(|(program, _)| (program, None)),
    };
    let Ok((program, no_overflow)) = prepared else { return Vec::new() };
    let others: Vec<&Program> = no_overflow.iter().collect();
    let abstract_by = |abstraction: Abstraction| {
        let mut programs = abstraction.apply(store, &program, &others)?.into_iter();
        let program = programs.next()?;
        let no_overflow = programs.next().unwrap_or_else(|| program.clone());
        Some(Abstracted { abstraction, program, no_overflow })
    };
    Abstraction::ALL.into_iter().filter_map(abstract_by).collect()
}
