//! What programs written for other verifiers call: CBMC, ESBMC, KLEE.

use super::object::Lowered;
use super::{Lower, Result, unsupported};
use crate::c::hir::{Base, Expr, FuncId, InstrKind, Terminator};
use crate::c::syntax::ast;
use bolide_model::Span;

/// Names with these prefixes mean what the other tool says, or are refused.
const PREFIXES: [&str; 4] = ["__CPROVER_", "__ESBMC_", "klee_", "__builtin_klee_"];

/// Calls that have no effect on what the program computes.
const WITHOUT_EFFECT: &[&str] = &[
    "__CPROVER_cover",
    "__CPROVER_input",
    "__CPROVER_output",
    "__CPROVER_atomic_begin",
    "__CPROVER_atomic_end",
    "__CPROVER_fence",
    "__CPROVER_printf",
    "__ESBMC_atomic_begin",
    "__ESBMC_atomic_end",
    "klee_prefer_cex",
    "klee_warning",
    "klee_warning_once",
    "klee_print_expr",
    "klee_print_range",
    "klee_open_merge",
    "klee_close_merge",
    "klee_merge",
    "klee_stack_trace",
    "klee_set_forking",
    "klee_alias_function",
    "klee_check_memory_access",
    "klee_define_fixed_object",
    "klee_mark_global",
];

/// Is a name one of another tool?
pub(super) fn is_foreign(name: &str) -> bool {
    PREFIXES.iter().any(|p| name.starts_with(p))
}

impl<'a> Lower<'a> {
    /// A call of a function of another tool; nothing if it is none.
    pub(super) fn other_tools(
        &mut self,
        name: &str,
        f: FuncId,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<Option<Lowered>> {
        if !is_foreign(name) {
            return Ok(None);
        }
        Ok(Some(match (name, args) {
            ("__CPROVER_assume" | "__ESBMC_assume" | "klee_assume", [c]) => {
                let c = self.condition(*c)?;
                self.emit(InstrKind::Assume(c), span)?;
                Lowered::Void
            }
            (
                "__CPROVER_assert"
                | "__CPROVER_precondition"
                | "__CPROVER_postcondition"
                | "__ESBMC_assert"
                | "klee_assert",
                [c, rest @ ..],
            ) => {
                let c = self.condition(*c)?;
                rest.iter().try_for_each(|&a| self.effect(a))?;
                if self.properties_wanted.errors {
                    self.check(c, "assertion", span)?;
                }
                Lowered::Void
            }
            ("klee_make_symbolic", [p, n, ..]) => self.make_symbolic(*p, *n, span)?,
            ("klee_silent_exit", _) => {
                args.iter().try_for_each(|&a| self.effect(a))?;
                self.stop(Terminator::Halt, span);
                Lowered::Void
            }
            ("klee_report_error" | "klee_abort", _) if self.properties_wanted.errors => {
                args.iter().try_for_each(|&a| self.effect(a))?;
                let property = self.property(&format!("call of {name}"), span);
                self.stop(Terminator::Error(property), span);
                Lowered::Void
            }
            ("klee_int", _) => {
                let int = self.ctypes.int();
                self.arbitrary(name, int, span)?
            }
            _ if name.starts_with("__CPROVER_nondet_") || name.starts_with("__ESBMC_nondet_") => {
                let result = self.function_type_of(f, span)?.result.ty;
                self.arbitrary(name, result, span)?
            }
            _ if WITHOUT_EFFECT.contains(&name) => {
                args.iter().try_for_each(|&a| self.effect(a))?;
                Lowered::Void
            }
            _ => return unsupported(span, format_args!("'{name}' of another verifier")),
        }))
    }

    /// An object gets any value.
    fn make_symbolic(&mut self, p: ast::ExprId, n: ast::ExprId, span: Span) -> Result<Lowered> {
        let values = self.values(&[p, n], span)?;
        if let (Expr::Addr(place), Some(size)) = (&self.exprs[values[0].e].expr, self.int_value(values[1].e))
            && let Base::Var(v) = place.base
            && place.dynamic.is_empty()
        {
            let place = place.clone();
            let is_whole = place.offset == 0
                && self.types.size_of(self.vars[v].ty).map(i128::from) == Some(size)
                && !self.types.is_scalar(self.vars[v].ty);
            let name = format!("klee_make_symbolic {}", self.vars[v].name);
            if is_whole {
                let ty = self.vars[v].ty;
                let input = self.input(&name, ty, span);
                self.emit(InstrKind::Fresh(v, Some(input)), span)?;
                return Ok(Lowered::Void);
            }
            if self.types.is_scalar(place.ty) && self.types.size_of(place.ty).map(i128::from) == Some(size) {
                let input = self.input(&name, place.ty, span);
                self.emit(InstrKind::Input(place, input), span)?;
                return Ok(Lowered::Void);
            }
        }
        unsupported(span, "'klee_make_symbolic' of something that is not a whole object")
    }
}
