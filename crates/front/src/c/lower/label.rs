//! Labels: ordinary ones, those that `__label__` declares for a block, and their addresses.

use super::lifetime::Path;
use super::object::{Lowered, Value};
use super::{Lower, Name, Result, issue, unsupported};
use crate::c::hir::{BlockId, InstrKind, Place, Terminator, VarId};
use crate::c::syntax::ast::{self, Ident};
use bolide_model::Span;

/// Labels with addresses have numbers below those of all objects.
const MOST_LABELS: i128 = 4000;

/// One label of a function.
struct Label {
    name: Name,
    block: BlockId,
    /// Where it is mentioned first.
    span: Span,
    is_placed: bool,
    /// The number that stands for its address, if that is taken.
    address: Option<i128>,
}

/// The labels of a function.
#[derive(Default)]
pub(super) struct Labels {
    all: Vec<Label>,
    /// Which labels a name means, the innermost declaration last; the number is the index of the label.
    local: Vec<(Name, Option<usize>)>,
    /// What `__label__` declares where a nested function stands: labels of the functions around it.
    around: Vec<Name>,
    /// Where computed jumps go, with the variable that says where from there, and the scopes around them. There is one such place for all
    /// of them, unless it matters which scopes a jump leaves.
    dispatch: Vec<(BlockId, VarId, Path)>,
}

impl Labels {
    /// The labels of a function that is nested at this place.
    pub fn of_nested(&self) -> Labels {
        let declared = self.local.iter().map(|(name, _)| name);
        Labels { around: self.around.iter().chain(declared).cloned().collect(), ..Labels::default() }
    }

    /// Does a name mean a label of a function around this one?
    fn is_around(&self, name: &Name) -> bool {
        self.around.contains(name) && !self.local.iter().any(|(own, _)| own == name)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Is there a jump to a label that is computed?
    pub fn has_computed_jumps(&self) -> bool {
        !self.dispatch.is_empty()
    }

    /// Starts a block; gives what to pass to `leave`.
    pub fn enter(&self) -> usize {
        self.local.len()
    }

    pub fn leave(&mut self, mark: usize) {
        self.local.truncate(mark);
    }

    /// Declares a label of the innermost block.
    pub fn declare(&mut self, name: &Name) {
        self.local.push((name.clone(), None));
    }
}

impl Lower<'_> {
    /// The label of a name.
    fn label(&mut self, name: &Name, span: Span) -> Result<usize> {
        let labels = &self.body().labels;
        let local = labels.local.iter().rposition(|l| l.0 == *name);
        if labels.is_around(name) {
            return unsupported(span, format!("the label '{name}' of the function around a nested one"));
        }
        let known = match local {
            Some(n) => labels.local[n].1,
            // Those of blocks that ended are not meant.
            None => labels.all.iter().position(|l| l.name == *name),
        };
        if let Some(n) = known {
            return Ok(n);
        }
        let block = self.block();
        // A label of a block must not be found by its name from elsewhere.
        let own: Name = match local {
            Some(_) => format!("{name}#{}", self.unique()).into(),
            None => name.clone(),
        };
        let labels = &mut self.body().labels;
        let n = labels.all.len();
        labels.all.push(Label { name: own, block, span, is_placed: false, address: None });
        if let Some(local) = local {
            labels.local[local].1 = Some(n);
        }
        Ok(n)
    }

    /// The block of a label that is jumped to.
    pub(super) fn jump_target(&mut self, ident: &Ident) -> Result<BlockId> {
        let n = self.label(&ident.name, ident.span)?;
        let (func, label) = (self.body().func, &self.body().labels.all[n]);
        let block = label.block;
        if label.is_placed {
            self.jumps_back.insert(func);
        }
        Ok(block)
    }

    /// The block of a label that is placed here.
    pub(super) fn place_label(&mut self, ident: &Ident) -> Result<BlockId> {
        let twice = || issue(ident.span, format!("label '{}' is defined twice", ident.name));
        if self.body().labels.is_around(&ident.name) {
            return twice();
        }
        let n = self.label(&ident.name, ident.span)?;
        let label = &mut self.body().labels.all[n];
        if std::mem::replace(&mut label.is_placed, true) {
            return twice();
        }
        Ok(label.block)
    }

    /// `&&label`: a number that stands for the label.
    pub(super) fn label_address(&mut self, ident: &Ident, span: Span) -> Result<Lowered> {
        let void = self.ctypes.void();
        let ty = self.ctypes.pointer_to(void);
        let plain = self.hir(ty);
        if self.body.is_none() {
            return match self.outer_label(ident) {
                Some(n) => Ok(Lowered::Value(Value { e: self.int(n, plain, span), ty })),
                None => issue(span, "the address of a label outside of a function"),
            };
        }
        let n = self.label_number(ident)?;
        Ok(Lowered::Value(Value { e: self.int(n, plain, span), ty }))
    }

    /// The number of a label of the function under construction.
    pub(super) fn label_number(&mut self, ident: &Ident) -> Result<i128> {
        let n = self.label(&ident.name, ident.span)?;
        if let Some(number) = self.body().labels.all[n].address {
            return Ok(number);
        }
        let number = self.next_label;
        if number > MOST_LABELS {
            return unsupported(ident.span, "so many labels with addresses");
        }
        self.next_label += 1;
        self.body().labels.all[n].address = Some(number);
        Ok(number)
    }

    /// `goto *e`: continues at the label with that number.
    pub(super) fn computed_goto(&mut self, e: ast::ExprId, span: Span) -> Result<()> {
        let value = self.value(e)?;
        let void = self.ctypes.void();
        let pointer = self.ctypes.pointer_to(void);
        let value = self.converted(value, pointer, span)?;
        let plain = self.hir(pointer);
        let path = self.scope_path();
        let (block, var) = match self.body().labels.dispatch.first() {
            Some(&(block, var, _)) if path.is_none() => (block, var),
            _ => {
                let (block, var) = (self.block(), self.temp(plain, span));
                self.body().labels.dispatch.push((block, var, path));
                (block, var)
            }
        };
        self.emit(InstrKind::Assign(Place::var(var, plain), value.e), span)?;
        self.stop(Terminator::Goto(block), span);
        let func = self.body().func;
        self.jumps_back.insert(func);
        Ok(())
    }

    /// Completes the computed jumps of a function, and complains about labels that are nowhere.
    pub(super) fn finish_labels(&mut self, span: Span) -> Result<()> {
        let labels = &self.body().labels;
        let dispatch = labels.dispatch.clone();
        let targets: Vec<(i128, i128, BlockId)> =
            labels.all.iter().filter_map(|l| l.address.map(|n| (n, n, l.block))).collect();
        // A label may be in a part that was given up; then nothing comes to its block.
        let is_whole = self.body.as_ref().is_none_or(|b| b.unsupported.is_none());
        let labels = &self.body().labels;
        if let Some(l) = labels.all.iter().find(|l| is_whole && !l.is_placed) {
            let name = l.name.split('#').next().unwrap_or_default().to_owned();
            let span = l.span;
            return issue(span, format!("label '{name}' is not defined"));
        }
        for (block, var, path) in dispatch {
            let long = self.types.size_t();
            let value = self.load_var(var, span);
            let value = self.convert(value, long, span)?;
            self.body().current = block;
            let nowhere = self.block();
            self.end(Terminator::Switch(value, targets.clone(), nowhere), span, nowhere);
            self.body().lifetimes.ends(block, path);
            self.end(Terminator::Halt, span, nowhere);
        }
        Ok(())
    }
}
