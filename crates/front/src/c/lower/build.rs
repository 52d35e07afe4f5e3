//! Building blocks: instructions, temporaries, and expressions that are folded as they are made.

use super::ctype::Q;
use super::{Lower, Result, issue, unsupported};
use crate::c::float::Format;
use crate::c::hir::{
    Base, BinOp, Block, BlockId, CmpOp, Expr, ExprId, InputSite, Instr, InstrKind, Place, Storage,
    Terminator, TypedExpr, VarId, Variable,
};
use crate::c::types::{IntType, Type, TypeId};
use bolide_model::{InputId, Property, PropertyId, Span};

impl Lower<'_> {
    pub(super) fn body(&mut self) -> &mut super::Body {
        self.body.as_mut().expect("statements occur only in functions")
    }

    /// Blocks of the function, for code that may run outside of one.
    pub(super) fn in_function(&self, span: Span) -> Result<()> {
        if self.body.is_some() { Ok(()) } else { issue(span, "the initialiser is not constant") }
    }

    pub(super) fn block(&mut self) -> BlockId {
        let path = self.scope_path();
        let body = self.body();
        let b = body.blocks.push(Block { instrs: Vec::new(), end: Terminator::Halt, span: Span::default() });
        body.lifetimes.starts(b, path);
        b
    }

    /// Objects that hold values of 80 bits are not represented.
    pub(super) fn refuse_long_double(&self, ty: TypeId, span: Span) -> Result<()> {
        match self.types.has_long_double(ty) {
            true => unsupported(span, "an object of type long double"),
            false => Ok(()),
        }
    }

    pub(super) fn emit(&mut self, kind: InstrKind, span: Span) -> Result<()> {
        self.in_function(span)?;
        if !self.is_unevaluated {
            for place in kind.places() {
                self.refuse_long_double(place.ty, span)?;
            }
        }
        self.note_lifetime(&kind);
        let body = self.body();
        let current = body.current;
        body.blocks[current].instrs.push(Instr { kind, span });
        Ok(())
    }

    /// Where the next instruction will be.
    pub(super) fn mark(&self) -> Option<Mark> {
        let body = self.body.as_ref()?;
        Some(Mark { block: body.current, at: body.blocks[body.current].instrs.len() })
    }

    /// A value as it was at a mark, if instructions have been emitted since and it depends on memory.
    pub(super) fn as_of(&mut self, mark: Option<Mark>, e: ExprId, span: Span) -> ExprId {
        let Some(mark) = mark.filter(|_| self.reads[e] && self.mark() != mark) else { return e };
        let ty = self.ty(e);
        let t = self.temp(ty, span);
        let instr = Instr { kind: InstrKind::Assign(Place::var(t, ty), e), span };
        self.body().blocks[mark.block].instrs.insert(mark.at, instr);
        self.load_var(t, span)
    }

    /// Ends the current block and continues in another one.
    pub(super) fn end(&mut self, end: Terminator, span: Span, next: BlockId) {
        let path = self.scope_path();
        let body = self.body();
        let current = body.current;
        body.blocks[current].end = end;
        body.blocks[current].span = span;
        body.current = next;
        body.lifetimes.ends(current, path.clone());
        body.lifetimes.starts(next, path);
    }

    /// Ends the current block; what follows is reached only through labels.
    pub(super) fn stop(&mut self, end: Terminator, span: Span) {
        let next = self.block();
        self.end(end, span, next);
    }

    pub(super) fn new_var(&mut self, name: &str, ty: TypeId, storage: Storage, span: Span) -> VarId {
        let name = match storage {
            Storage::Auto(f) => format!("{}::{name}", self.funcs[f].name),
            Storage::Static => name.to_owned(),
        };
        let c = Q::plain(self.of_plain(ty));
        self.cvars.push(c);
        self.temps.push(false);
        self.vars.push(Variable {
            name,
            ty,
            storage,
            address_taken: false,
            is_constant: false,
            is_slot: false,
            align: 0,
            span,
        })
    }

    pub(super) fn temp(&mut self, ty: TypeId, span: Span) -> VarId {
        let storage = self.body.as_ref().map_or(Storage::Static, |b| Storage::Auto(b.func));
        let v = self.new_var("$tmp", ty, storage, span);
        self.temps[v] = true;
        v
    }

    pub(super) fn input(&mut self, name: &str, ty: TypeId, span: Span) -> InputId {
        self.inputs.push(InputSite { name: name.to_owned(), ty, span, is_computed: false })
    }

    pub(super) fn property(&mut self, what: &str, span: Span) -> PropertyId {
        let function = match &self.body {
            // What all functions that write text share.
            Some(b) if self.funcs[b.func].name.starts_with("__put") => "sprintf".into(),
            Some(b) => self.funcs[b.func].name.clone(),
            None => "file".into(),
        };
        self.properties.push(Property { name: format!("{what} in {function}"), span })
    }

    /// Branches to an error if a condition is zero.
    pub(super) fn check(&mut self, condition: ExprId, what: &str, span: Span) -> Result<()> {
        if self.int_value(condition).is_some_and(|v| v != 0) {
            return Ok(());
        }
        self.in_function(span)?;
        let property = self.property(what, span);
        self.check_property(condition, property, span)
    }

    /// Branches to the error that a property is if a condition is zero.
    pub(super) fn check_property(
        &mut self,
        condition: ExprId,
        property: PropertyId,
        span: Span,
    ) -> Result<()> {
        let (bad, good) = (self.block(), self.block());
        self.end(Terminator::Branch(condition, good, bad), span, bad);
        self.end(Terminator::Error(property), span, good);
        Ok(())
    }

    pub(super) fn int(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        self.push(Expr::Int(value), ty, span)
    }

    pub(super) fn load(&mut self, place: Place, span: Span) -> ExprId {
        let ty = place.ty;
        // An object that is declared `constexpr` is its value.
        if let Base::Var(v) = place.base
            && let Some(&value) = self.constants.get(&v)
            && place.ty == self.vars[v].ty
        {
            return self.int(value, ty, span);
        }
        self.push(Expr::Load(place), ty, span)
    }

    pub(super) fn load_var(&mut self, var: VarId, span: Span) -> ExprId {
        let ty = self.vars[var].ty;
        self.load(Place::var(var, ty), span)
    }

    fn push(&mut self, expr: Expr, ty: TypeId, span: Span) -> ExprId {
        let of_operands = expr.operands().iter().any(|&o| self.reads[o]);
        let reads = of_operands
            || match &expr {
                Expr::Load(Place { base: Base::Var(v), .. }) => !self.temps[*v],
                Expr::Load(_) => true,
                _ => false,
            };
        self.reads.push(reads);
        self.exprs.push(TypedExpr { expr, ty, span })
    }

    /// The address of a place; constant where the place has a constant address.
    pub(super) fn address(&mut self, place: Place, span: Span) -> ExprId {
        let ty = self.types.pointer(place.ty);
        if let Base::Deref(p) = place.base
            && place.dynamic.is_empty()
        {
            if let Some(v) = self.int_value(p) {
                let value = self.wrap_pointer(v + i128::from(place.offset));
                return self.int(value, ty, span);
            }
            if place.offset == 0 {
                return self.make(Expr::Cast(p), ty, span);
            }
        }
        self.push(Expr::Addr(place), ty, span)
    }

    fn wrap_pointer(&self, v: i128) -> i128 {
        v.rem_euclid(1 << (8 * self.types.pointer_size()))
    }

    /// An expression, folded if its operands are constants.
    pub(super) fn make(&mut self, expr: Expr, ty: TypeId, span: Span) -> ExprId {
        let folded = self.fold(&expr, ty);
        match folded {
            Some(Folded::Same(e)) => e,
            Some(Folded::Int(v)) => self.push(Expr::Int(v), ty, span),
            Some(Folded::Float(v)) => self.push(Expr::Float(v), ty, span),
            None => self.push(expr, ty, span),
        }
    }

    fn fold(&self, expr: &Expr, ty: TypeId) -> Option<Folded> {
        let int = |e: &ExprId| self.int_value(*e);
        let float = |e: &ExprId| match self.exprs[*e].expr {
            Expr::Float(v) => Some(v),
            _ => None,
        };
        let repr = self.types.representation(ty);
        Some(match expr {
            Expr::Cast(a) => return self.fold_cast(*a, ty),
            Expr::Neg(a) => match float(a) {
                Some(v) => Folded::Float(-v),
                None => Folded::Int(repr?.wrap(-int(a)?)),
            },
            Expr::Not(a) => Folded::Int(repr?.wrap(!int(a)?)),
            Expr::LogicNot(a) => match float(a) {
                Some(v) => {
                    self.types.format(self.ty(*a))?;
                    Folded::Int((v == 0.0).into())
                }
                None => Folded::Int((int(a)? == 0).into()),
            },
            Expr::LogicAnd(a, b) => match (int(a), int(b)) {
                (Some(0), _) | (_, Some(0)) => Folded::Int(0),
                (Some(_), Some(_)) => Folded::Int(1),
                _ => return None,
            },
            Expr::LogicOr(a, b) => match (int(a), int(b)) {
                (Some(0), Some(0)) => Folded::Int(0),
                (Some(x), _) | (_, Some(x)) if x != 0 => Folded::Int(1),
                _ => return None,
            },
            Expr::Cond(c, a, b) => Folded::Same(if int(c)? != 0 { *a } else { *b }),
            Expr::Binary(op, a, b) => match (float(a), float(b)) {
                (Some(x), Some(y)) => {
                    let format = self.types.format(ty)?;
                    let pattern = format.operate(*op, format.pattern(x), format.pattern(y))?;
                    Folded::Float(format.value(pattern))
                }
                _ => Folded::Int(fold_int(*op, int(a)?, int(b)?, repr?)?),
            },
            Expr::Compare(op, a, b) => {
                let order = match (float(a), float(b)) {
                    (Some(x), Some(y)) => {
                        self.types.format(self.ty(*a))?;
                        x.partial_cmp(&y)?
                    }
                    _ => int(a)?.cmp(&int(b)?),
                };
                Folded::Int(i128::from(match op {
                    CmpOp::Lt => order.is_lt(),
                    CmpOp::Le => order.is_le(),
                    CmpOp::Eq => order.is_eq(),
                    CmpOp::Ne => order.is_ne(),
                }))
            }
            Expr::Math(function, a, b) => {
                let format = self.types.format(self.ty(*a))?;
                let (x, y) = (format.pattern(float(a)?), format.pattern(float(b)?));
                let result = format.call(*function, x, y).ok()?;
                if function.gives_int() { Folded::Int(result) } else { Folded::Float(format.value(result)) }
            }
            Expr::PtrAdd(p, i, scale) => match (int(p), int(i)?) {
                (_, 0) if self.ty(*p) == ty => Folded::Same(*p),
                (p, i) => Folded::Int(self.wrap_pointer(p?.checked_add(i.checked_mul((*scale).into())?)?)),
            },
            Expr::PtrSub(a, b, scale) => {
                let bytes = match (self.address_behind_casts(*a), self.address_behind_casts(*b)) {
                    (Some((x, by)), Some((y, other))) if same_variable(x, y) => {
                        i128::from(x.offset) + by - i128::from(y.offset) - other
                    }
                    _ => int(a)? - int(b)?,
                };
                Folded::Int(repr?.wrap(bytes / i128::from(*scale)))
            }
            Expr::Int(_) | Expr::Float(_) | Expr::Load(_) | Expr::Addr(_) | Expr::Func(_) => return None,
        })
    }

    /// The place from whose address a pointer is a fixed number of bytes away, whatever it points to by its type.
    fn address_behind_casts(&self, e: ExprId) -> Option<(&Place, i128)> {
        let (mut e, mut by) = (e, 0i128);
        loop {
            match &self.exprs[e].expr {
                Expr::Addr(place) => return Some((place, by)),
                Expr::Cast(inner) if matches!(self.types.get(self.ty(*inner)), Type::Pointer(_)) => {
                    e = *inner
                }
                Expr::PtrAdd(inner, n, scale) => {
                    by = by.checked_add(self.int_value(*n)?.checked_mul((*scale).into())?)?;
                    e = *inner;
                }
                _ => return None,
            }
        }
    }

    fn fold_cast(&self, a: ExprId, ty: TypeId) -> Option<Folded> {
        if self.ty(a) == ty {
            return Some(Folded::Same(a));
        }
        let (from, to) = (self.types.get(self.ty(a)), self.types.get(ty));
        Some(match (&self.exprs[a].expr, from, to) {
            (Expr::Int(v), Type::Int(_) | Type::Pointer(_), Type::Int(i)) => Folded::Int(i.wrap(*v)),
            (Expr::Int(v), Type::Int(_) | Type::Pointer(_), Type::Pointer(_)) => {
                Folded::Int(self.wrap_pointer(*v))
            }
            (Expr::Int(v), Type::Int(_), Type::Float(bytes)) => {
                Folded::Float(Format::of(*bytes)?.from_int(*v))
            }
            (Expr::Float(v), Type::Float(from), Type::Float(to)) => {
                Format::of(*from)?;
                Folded::Float(Format::of(*to)?.round(*v))
            }
            (Expr::Float(v), Type::Float(from), Type::Int(i)) => {
                let format = Format::of(*from)?;
                Folded::Int(format.to_int(format.pattern(*v), i.range())?)
            }
            _ => return None,
        })
    }
}

/// Are two places at fixed offsets in the same variable?
fn same_variable(a: &Place, b: &Place) -> bool {
    let is_same = matches!((&a.base, &b.base), (Base::Var(x), Base::Var(y)) if x == y);
    is_same && a.dynamic.is_empty() && b.dynamic.is_empty()
}

/// A position in a function under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    block: BlockId,
    at: usize,
}

enum Folded {
    Same(ExprId),
    Int(i128),
    Float(f64),
}

/// An operator on values of a type; `None` for a division by zero.
pub(in crate::c) fn fold_int(op: BinOp, x: i128, y: i128, ty: IntType) -> Option<i128> {
    let amount = || (y.rem_euclid(i128::from(ty.bits))) as u32;
    let bits = |v: i128| v & ((1i128 << ty.bits) - 1);
    Some(match op {
        BinOp::Add => ty.wrap(x + y),
        BinOp::Sub => ty.wrap(x - y),
        // Products of two 64-bit values can exceed 127 bits; the low bits are all that counts.
        BinOp::Mul => ty.wrap(x.wrapping_mul(y)),
        BinOp::Div => ty.wrap(x.checked_div(y)?),
        BinOp::Rem => ty.wrap(x.checked_rem(y)?),
        BinOp::Shl => ty.wrap(x.wrapping_shl(amount())),
        BinOp::Shr => x >> amount(),
        BinOp::And => ty.wrap(bits(x) & bits(y)),
        BinOp::Or => ty.wrap(bits(x) | bits(y)),
        BinOp::Xor => ty.wrap(bits(x) ^ bits(y)),
    })
}
