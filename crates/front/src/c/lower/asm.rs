//! Assembler: its outputs are values from outside. Without instructions they are what the operands put there.

use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, unsupported};
use crate::c::hir::{Base, InstrKind, Terminator};
use crate::c::syntax::ast::{Asm, AsmOperand};
use bolide_model::Span;

impl Lower<'_> {
    /// Assembler at file scope defines symbols that nothing here can see.
    pub(super) fn file_asm(&mut self, a: &Asm) -> Result<()> {
        if a.template.units.iter().any(|&u| char::from_u32(u).is_none_or(|c| !c.is_whitespace())) {
            self.assume_that(
                "assembler outside of functions defines nothing that the program uses".into(),
                a.span,
            );
        }
        Ok(())
    }

    pub(super) fn asm_statement(&mut self, a: &Asm, span: Span) -> Result<()> {
        let is_empty = a.template.units.iter().all(|&u| char::from_u32(u).is_some_and(char::is_whitespace));
        let mut inputs = Vec::with_capacity(a.inputs.len());
        for input in &a.inputs {
            inputs.push(self.asm_input(input)?);
        }
        if a.is_goto {
            return self.asm_goto(a, span);
        }
        let writes_memory = a.clobbers.iter().any(|c| text(&c.units) == "memory");
        if a.outputs.is_empty() {
            // An empty template with a clobber is a barrier for compilers: it changes nothing.
            if !is_empty {
                let what = if writes_memory { ", although they may write to memory" } else { "" };
                self.assume_that(format!("assembler statements without outputs have no effect{what}"), span);
            }
            return Ok(());
        }
        if is_empty {
            return self.asm_moves(a, &inputs, span);
        }
        let what = if writes_memory { ", although they may write to memory" } else { "" };
        self.assume_that(
            format!("assembler statements leave any values in their outputs and have no other effect{what}"),
            span,
        );
        self.asm_outputs(a, span)
    }

    /// No instructions, as in programs that hide a value from the compiler: an operand that is read and written keeps its value, and so
    /// does one in memory; one that shares its place with an input has the value of that.
    fn asm_moves(&mut self, a: &Asm, inputs: &[Option<Value>], span: Span) -> Result<()> {
        let mut saved = Vec::with_capacity(inputs.len());
        for input in inputs {
            saved.push(match input {
                Some(v) => Some(Value { e: self.saved(v.e, span)?, ..*v }),
                None => None,
            });
        }
        for (n, output) in a.outputs.iter().enumerate() {
            let constraint = text(&output.constraint.units);
            let o = self.object(output.expr)?;
            if constraint.contains('+') || constraint.trim_start_matches(['=', '&']) == "m" {
                continue;
            }
            let is_same = |input: &AsmOperand| {
                let place = text(&input.constraint.units);
                let name = output.name.as_ref().map(|name| format!("[{}]", name.name));
                place == n.to_string() || Some(place) == name
            };
            let input = a.inputs.iter().position(is_same).and_then(|n| saved[n]);
            if !self.ctypes.is_scalar(o.ty.ty) {
                return unsupported(span, "assembler with a structure as an output");
            }
            let value = match input {
                Some(value) => self.converted(value, o.ty.ty, span)?.e,
                None => {
                    self.assume_that("assembler statements leave any values in their outputs".into(), span);
                    self.arbitrary_scalar("assembler", o.ty.ty, span)?
                }
            };
            self.write(&o, value, span)?;
        }
        Ok(())
    }

    fn asm_outputs(&mut self, a: &Asm, span: Span) -> Result<()> {
        for output in &a.outputs {
            let o = self.object(output.expr)?;
            if !self.ctypes.is_scalar(o.ty.ty) {
                return unsupported(span, "assembler with a structure as an output");
            }
            let value = self.arbitrary_scalar("assembler", o.ty.ty, span)?;
            self.write(&o, value, span)?;
        }
        Ok(())
    }

    /// An operand is evaluated, and the assembler knows it from then on: the value of a scalar, the address of anything else
    /// and of what is reached through a pointer.
    fn asm_input(&mut self, operand: &AsmOperand) -> Result<Option<Value>> {
        let span = self.span(operand.expr);
        let lowered = self.lower(operand.expr)?;
        let mut known = Vec::new();
        if let Lowered::Object(o) = &lowered
            && o.field.is_none()
            && (!matches!(o.place.base, Base::Var(_)) || !self.ctypes.is_scalar(o.ty.ty))
        {
            self.check_address(&o.pending)?;
            known.push(self.address(o.place.clone(), span));
        }
        let mut scalar = None;
        if !matches!(lowered, Lowered::Void)
            && let Whole::Scalar(value) = self.whole(lowered, span)?
        {
            known.push(value.e);
            scalar = Some(value);
        }
        self.emit(InstrKind::Escape(known), span)?;
        Ok(scalar)
    }

    /// `asm goto` may continue at any of its labels.
    fn asm_goto(&mut self, a: &Asm, span: Span) -> Result<()> {
        self.assume_that("assembler may jump to any of its labels and has no other effect".into(), span);
        self.asm_outputs(a, span)?;
        let int = self.ctypes.int();
        let choice = self.arbitrary_scalar("assembler", int, span)?;
        let mut targets = Vec::with_capacity(a.labels.len());
        for (n, ident) in a.labels.iter().enumerate() {
            let target = self.jump_target(ident)?;
            targets.push((n as i128, n as i128, target));
        }
        let next = self.block();
        self.end(Terminator::Switch(choice, targets, next), span, next);
        Ok(())
    }
}

fn text(units: &[u32]) -> String {
    units.iter().filter_map(|&u| char::from_u32(u)).collect()
}
