//! Kinds of functions: which functions a call through a pointer can enter.
//!
//! C leaves open what happens where a function is called through a pointer to another kind of function. Such calls are
//! refused where an execution can come to them. That a pointer of one kind may hold the address of a function of another
//! kind follows from the conversions in the program: a type that is converted to another one is an edge, and a function
//! is seen as whatever its own type leads to.

use super::{Expected, Expr, ExprId, FuncId, Terminator, Unit, VarId};
use crate::c::types::{Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The types of functions through which each function may be called, as conversions of pointers have it.
#[derive(Clone, Default, Debug)]
pub struct Disguises(FxHashMap<FuncId, FxHashSet<TypeId>>);

impl Disguises {
    /// May a pointer to functions of a type hold the address of a function?
    pub fn contains(&self, f: FuncId, ty: TypeId) -> bool {
        self.0.get(&f).is_some_and(|types| types.contains(&ty))
    }
}

/// How the address of a function is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Seen {
    /// As a pointer to functions of this type.
    As(TypeId),
    /// As an integer or a pointer to something else.
    Other,
}

impl Unit {
    /// Does a call through a pointer pass what a function expects, and expect what it returns? Integers and pointers may stand
    /// for each other, as machines have it; where the kinds or the number of values differ, or only one side has further
    /// arguments, C leaves open what happens.
    pub fn fits(&self, expected: Expected, args: &[ExprId], f: FuncId) -> bool {
        let types = &self.types;
        let (call, own) = (types.get(expected.ty), types.get(self.funcs[f].ty));
        let (Type::Function(call), Type::Function(own)) = (call, own) else { return false };
        let params = &self.funcs[f].params;
        let is_passed = |(n, &p): (usize, &VarId)| {
            let declared = call.params.as_ref().and_then(|c| c.get(n));
            self.is_alike(*declared.unwrap_or(&self.exprs[args[n]].ty), self.vars[p].ty)
        };
        call.variadic == own.variadic
            && params.len() == args.len()
            && params.iter().enumerate().all(is_passed)
            && self.is_returned(own.result, call.result)
    }

    /// Can a value of one type stand for one of another type where functions are called?
    fn is_alike(&self, given: TypeId, expected: TypeId) -> bool {
        let types = &self.types;
        match (types.get(given), types.get(expected)) {
            (Type::Float(a), Type::Float(b)) => a == b,
            (Type::Float(_), _) | (_, Type::Float(_)) => false,
            // Whatever is no scalar is as large as what it is taken for.
            _ => match (types.is_scalar(given), types.is_scalar(expected)) {
                (true, true) => true,
                (false, false) => types.size_of(given) == types.size_of(expected),
                _ => false,
            },
        }
    }

    /// Does a function return what a call expects?
    fn is_returned(&self, own: TypeId, expected: TypeId) -> bool {
        let is_void = |ty: TypeId| matches!(self.types.get(ty), Type::Void);
        match (is_void(expected), is_void(own)) {
            (false, false) => self.is_alike(own, expected),
            // A result that nobody asks for, or that is missing, unless memory is passed for it.
            (true, false) => self.types.is_scalar(own),
            (false, true) => self.types.is_scalar(expected),
            (true, true) => true,
        }
    }

    /// The types of functions through which each function may be called. Conversions for the sake of a comparison do not
    /// count, and nothing is known of addresses that change their type in memory.
    pub fn disguises(&self) -> Disguises {
        let mut starts: FxHashMap<FuncId, FxHashSet<Seen>> = FxHashMap::default();
        let mut edges: FxHashMap<Seen, FxHashSet<Seen>> = FxHashMap::default();
        for (e, typed) in self.exprs.iter_enumerated() {
            if let Expr::Func(f) = typed.expr {
                starts.entry(f).or_default().insert(self.seen(e));
            }
        }
        self.each_conversion(|from, to| match self.exprs[from].expr {
            Expr::Func(f) => _ = starts.entry(f).or_default().insert(self.seen(to)),
            Expr::Int(_) => (),
            _ => _ = edges.entry(self.seen(from)).or_default().insert(self.seen(to)),
        });
        let mut reached: FxHashMap<Seen, FxHashSet<TypeId>> = FxHashMap::default();
        let mut out = Disguises::default();
        for (f, starts) in starts {
            let types = out.0.entry(f).or_default();
            for start in starts {
                types.extend(reached.entry(start).or_insert_with(|| Seen::reached(start, &edges)).iter());
            }
        }
        out
    }

    /// How the value of an expression is seen.
    fn seen(&self, e: ExprId) -> Seen {
        match self.types.get(self.exprs[e].ty) {
            Type::Pointer(to) if matches!(self.types.get(*to), Type::Function(_)) => Seen::As(*to),
            _ => Seen::Other,
        }
    }

    /// Calls a function for each conversion whose result is used for something else than a comparison: what is converted, and
    /// the result.
    fn each_conversion(&self, mut found: impl FnMut(ExprId, ExprId)) {
        let mut note = |e: ExprId| {
            if let Expr::Cast(from) = self.exprs[e].expr {
                found(from, e);
            }
        };
        for typed in &self.exprs {
            if !matches!(typed.expr, Expr::Compare(..) | Expr::LogicNot(_)) {
                typed.expr.operands().into_iter().for_each(&mut note);
            }
        }
        self.statics.iter().for_each(|s| note(s.value));
        for block in self.funcs.iter().flat_map(|f| &f.blocks) {
            block.instrs.iter().flat_map(|i| i.kind.operands()).for_each(&mut note);
            if let Terminator::Return(Some(e)) = block.end {
                note(e);
            }
        }
    }
}

impl Seen {
    /// The types of functions that a way of seeing leads to.
    fn reached(start: Self, edges: &FxHashMap<Self, FxHashSet<Self>>) -> FxHashSet<TypeId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            if seen.insert(at) {
                work.extend(edges.get(&at).into_iter().flatten());
            }
        }
        let types = seen.into_iter().filter_map(|at| match at {
            Self::As(ty) => Some(ty),
            Self::Other => None,
        });
        types.collect()
    }
}
