//! Declarations that a jump passes again without leaving their block. In C the variable is the same object then, at the same
//! address, and only its value is new (C17 6.2.4 and 6.5.2.5, for compound literals); elsewhere a declaration makes a new object.
//!
//! A flag tells whether the variable lives. Only variables that need one get one: those whose declaration leads to itself without the end
//! of their lifetime in between.

use super::{Lower, UNSUPPORTED};
use crate::c::hir::{Block, BlockId, FuncId, Guard, Instr, InstrKind, Place, Storage, Terminator, VarId};
use crate::c::layout::{LARGEST_FIXED, successors};
use crate::c::syntax::source::Issue;
use bolide_base::{Id, IdVec};
use bolide_model::Span;
use rustc_hash::FxHashSet;

/// What an instruction does to the lifetime of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Starts,
    Ends,
}

fn life(i: &Instr, v: VarId) -> Option<Life> {
    match i.kind {
        InstrKind::Fresh(w, _) if w == v => Some(Life::Starts),
        InstrKind::Guard(Guard::End(w)) if w == v => Some(Life::Ends),
        _ => None,
    }
}

/// Can the lifetime of a variable, once started, start again before it ends?
fn is_passed_again(blocks: &IdVec<BlockId, Block>, v: VarId) -> bool {
    let mut open: Vec<BlockId> = Vec::new();
    for block in blocks {
        let last = block.instrs.iter().filter_map(|i| life(i, v)).next_back();
        if last == Some(Life::Starts) {
            open.extend(successors(&block.end));
        }
    }
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    while let Some(b) = open.pop() {
        if !seen.insert(b) {
            continue;
        }
        match blocks[b].instrs.iter().find_map(|i| life(i, v)) {
            Some(Life::Starts) => return true,
            Some(Life::Ends) => {}
            None => open.extend(successors(&blocks[b].end)),
        }
    }
    false
}

impl Lower<'_> {
    /// Lets declarations that are passed again keep the addresses of their variables.
    ///
    /// Where lifetimes are not followed, a variable may keep its address for as long as its function is active, and only those have more
    /// than one that are large or belong to functions which may be active twice.
    pub(super) fn keep_addresses(&mut self) {
        let is_followed = self.follows_objects;
        for f in self.funcs.ids().filter(|f| is_followed || self.jumps_back.contains(f)).collect::<Vec<_>>() {
            let is_recursive = is_followed || self.may_be_active_twice(f);
            let may_move = |this: &Self, v: VarId| {
                is_recursive || this.types.size_of(this.vars[v].ty).is_none_or(|size| size > LARGEST_FIXED)
            };
            let instrs = self.funcs[f].blocks.iter().flat_map(|b| &b.instrs);
            let mut made: Vec<VarId> = instrs
                .filter_map(|i| match i.kind {
                    InstrKind::Fresh(v, _) if self.vars[v].address_taken => Some(v),
                    _ => None,
                })
                .collect();
            made.sort_unstable();
            made.dedup();
            for v in made {
                let is_local = self.vars[v].storage == Storage::Auto(f) && may_move(self, v);
                if is_local && is_passed_again(&self.funcs[f].blocks, v) {
                    self.keep_address(f, v);
                }
            }
        }
    }

    fn keep_address(&mut self, f: FuncId, v: VarId) {
        let (int, at) = (self.types.int(), self.vars[v].span);
        let span = Span { start: at.start, end: at.start };
        let flag = self.new_var("$lives", int, Storage::Auto(f), span);
        self.temps[flag] = true;
        let place = Place::var(flag, int);
        let (no, yes) = (self.int(0, int, span), self.int(1, int, span));
        let set = |e| Instr { kind: InstrKind::Assign(place.clone(), e), span };
        let mut starts: FxHashSet<BlockId> = FxHashSet::default();
        let mut open: Vec<BlockId> = self.funcs[f].blocks.ids().collect();
        while let Some(b) = open.pop() {
            let block = &mut self.funcs[f].blocks[b];
            let mut n = 0;
            while n < block.instrs.len() {
                let life = life(&block.instrs[n], v);
                n += 1;
                match life {
                    Some(Life::Ends) => block.instrs.insert(n, set(no)),
                    Some(Life::Starts) if !starts.contains(&b) => {
                        let rest = block.instrs.split_off(n);
                        let Some(fresh) = block.instrs.pop() else { break };
                        let (end, whole) = (block.end.clone(), block.span);
                        let again = self.new_value(f, v, &fresh);
                        let blocks = &mut self.funcs[f].blocks;
                        let after = blocks.push(Block { instrs: rest, end, span: whole });
                        let mut goes_on =
                            |instrs| blocks.push(Block { instrs, end: Terminator::Goto(after), span });
                        let again = goes_on(again);
                        let new = goes_on(vec![fresh, set(yes)]);
                        starts.insert(new);
                        open.push(after);
                        let lives = self.load_var(flag, span);
                        let block = &mut self.funcs[f].blocks[b];
                        (block.end, block.span) = (Terminator::Branch(lives, again, new), span);
                        break;
                    }
                    _ => {}
                }
            }
        }
        self.funcs[f].blocks[BlockId::from_index(0)].instrs.insert(0, set(no));
    }

    /// What a declaration does to a variable that lives: without an initialiser its value becomes indeterminate.
    fn new_value(&mut self, f: FuncId, v: VarId, fresh: &Instr) -> Vec<Instr> {
        let InstrKind::Fresh(_, Some(input)) = fresh.kind else { return Vec::new() };
        let (ty, span) = (self.vars[v].ty, fresh.span);
        let instr = |kind| Instr { kind, span };
        if self.properties_wanted.uninit {
            let message = format!("{UNSUPPORTED}a declaration without a value that a jump passes again");
            self.refused.push((f, Issue { span, message }));
        }
        if self.types.is_scalar(ty) {
            return vec![instr(InstrKind::Input(Place::var(v, ty), input))];
        }
        let t = self.new_var("$value", ty, Storage::Auto(f), span);
        self.temps[t] = true;
        vec![
            instr(InstrKind::Fresh(t, Some(input))),
            instr(InstrKind::Copy(Place::var(v, ty), Place::var(t, ty))),
        ]
    }
}
