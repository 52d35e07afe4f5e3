//! Initialisers: braces, designators, elided braces, strings.

use super::expr::Lowered;
use super::{Lower, Result, issue, span_of, unsupported};
use crate::c::hir::{Base, Expr, ExprId, InstrKind, Operand, Place, StaticValue, Storage, VarId};
use crate::c::types::{Type, TypeId};
use bolide_model::Span;
use lang_c::ast;
use lang_c::span::Node;

/// One scalar or record that an initialiser sets.
struct Leaf<'a> {
    offset: u64,
    ty: TypeId,
    bits: Option<(u32, u32)>,
    value: LeafValue<'a>,
    span: Span,
}

enum LeafValue<'a> {
    Expression(&'a Node<ast::Expression>),
    Character(i128),
}

/// A part of an object while its initialiser is walked.
#[derive(Clone, Copy)]
struct Part {
    ty: TypeId,
    offset: u64,
    bits: Option<(u32, u32)>,
}

type Items = [Node<ast::InitializerListItem>];

/// The longest array whose length an initialiser determines.
const LONGEST: u64 = 1 << 26;

impl Lower<'_> {
    /// An array type without a length takes the one of its initialiser.
    pub(super) fn completed(&mut self, ty: TypeId, init: &Node<ast::Initializer>) -> Result<TypeId> {
        let Type::Array(element, None) = *self.types.get(ty) else { return Ok(ty) };
        let count = match &init.node {
            ast::Initializer::Expression(e) => match &e.node {
                ast::Expression::StringLiteral(s) => {
                    self.string_units(&s.node, span_of(e))?.0.len() as u64 + 1
                }
                _ => {
                    return issue(
                        span_of(init),
                        "the initialiser of an array is neither a list nor a string",
                    );
                }
            },
            ast::Initializer::List(items) => {
                if let Some(e) = braced_string(items) {
                    let ast::Expression::StringLiteral(s) = &e.node else {
                        unreachable!("checked by braced_string")
                    };
                    self.string_units(&s.node, span_of(e))?.0.len() as u64 + 1
                } else {
                    let long = self.types.intern(Type::Array(element, Some(LONGEST)));
                    let part = Part { ty: long, offset: 0, bits: None };
                    self.aggregate(part, items, &mut 0, true, &mut Vec::new())?
                }
            }
        };
        Ok(self.types.intern(Type::Array(element, Some(count))))
    }

    pub(super) fn static_initializer(&mut self, var: VarId, init: &Node<ast::Initializer>) -> Result<()> {
        let part = Part { ty: self.vars[var].ty, offset: 0, bits: None };
        let mut leaves = Vec::new();
        self.flatten(part, init, &mut leaves)?;
        // Static initialisers are evaluated outside of any function.
        let body = self.body.take();
        let outcome = leaves.iter().try_for_each(|leaf| self.static_leaf(var, leaf));
        self.body = body;
        outcome
    }

    fn static_leaf(&mut self, var: VarId, leaf: &Leaf) -> Result<()> {
        let value = match leaf.value {
            LeafValue::Character(c) => self.int(c, leaf.ty, leaf.span),
            LeafValue::Expression(e) => match self.value(e)? {
                Operand::Scalar(v) => self.convert(v, leaf.ty, leaf.span)?,
                Operand::Record(p) => return self.static_copy(var, leaf, &p),
            },
        };
        if !self.is_static_value(value) {
            return issue(leaf.span, "the initialiser is not constant");
        }
        self.statics.push(StaticValue { var, offset: leaf.offset, ty: leaf.ty, bits: leaf.bits, value });
        Ok(())
    }

    /// A static record initialised by a compound literal takes over its values.
    fn static_copy(&mut self, var: VarId, leaf: &Leaf, from: &Place) -> Result<()> {
        let (Base::Var(source), true) = (from.base, from.dynamic.is_empty() && from.offset == 0) else {
            return unsupported(leaf.span, "this static initialiser of a structure");
        };
        let copies: Vec<StaticValue> = self
            .statics
            .iter()
            .filter(|s| s.var == source)
            .map(|s| StaticValue { var, offset: s.offset + leaf.offset, ..s.clone() })
            .collect();
        self.statics.extend(copies);
        Ok(())
    }

    /// A constant, or an address plus a constant.
    fn is_static_value(&self, e: ExprId) -> bool {
        let mut e = e;
        loop {
            match &self.exprs[e].expr {
                Expr::Int(_) | Expr::Float(_) | Expr::Func(_) => return true,
                Expr::Addr(p) => return matches!(p.base, Base::Var(_)) && p.dynamic.is_empty(),
                Expr::Cast(a) => e = *a,
                Expr::PtrAdd(p, i, _) if self.int_value(*i).is_some() => e = *p,
                _ => return false,
            }
        }
    }

    pub(super) fn auto_initializer(&mut self, var: VarId, init: &Node<ast::Initializer>) -> Result<()> {
        let ty = self.vars[var].ty;
        let span = span_of(init);
        self.size(ty, span)?;
        self.emit(InstrKind::Fresh(var, None), span)?;
        if let (ast::Initializer::Expression(e), true) =
            (&init.node, !matches!(self.types.get(ty), Type::Array(..)))
        {
            let operand = self.value(e)?;
            return self.assign(Place::var(var, ty), operand, span);
        }
        let part = Part { ty, offset: 0, bits: None };
        let mut leaves = Vec::new();
        self.flatten(part, init, &mut leaves)?;
        if !self.types.is_scalar(ty) {
            self.emit(InstrKind::Zero(var), span)?;
        }
        for leaf in &leaves {
            let place = Place { offset: leaf.offset as i64, bits: leaf.bits, ..Place::var(var, leaf.ty) };
            let operand = match leaf.value {
                LeafValue::Character(0) => continue,
                LeafValue::Character(c) => Operand::Scalar(self.int(c, leaf.ty, leaf.span)),
                LeafValue::Expression(e) => self.value(e)?,
            };
            self.assign(place, operand, leaf.span)?;
        }
        Ok(())
    }

    pub(super) fn compound_literal(&mut self, c: &ast::CompoundLiteral, span: Span) -> Result<Lowered> {
        let ty = self.type_name(&c.type_name)?;
        let init = Node::new(ast::Initializer::List(c.initializer_list.clone()), c.type_name.span);
        let ty = self.completed(ty, &init)?;
        let var = match &self.body {
            Some(b) => {
                let storage = Storage::Auto(b.func);
                let var = self.new_var("literal", ty, storage, span);
                self.auto_initializer(var, &init)?;
                var
            }
            None => {
                let var = self.new_var("literal", ty, Storage::Static, span);
                self.static_initializer(var, &init)?;
                var
            }
        };
        Ok(Lowered::Place(Place::var(var, ty)))
    }

    fn flatten<'a>(
        &mut self,
        part: Part,
        init: &'a Node<ast::Initializer>,
        out: &mut Vec<Leaf<'a>>,
    ) -> Result<()> {
        match &init.node {
            ast::Initializer::Expression(e) => self.expression_leaf(part, e, out),
            ast::Initializer::List(items) => match self.types.get(part.ty) {
                Type::Array(..) | Type::Record(_) => {
                    if let (Some(e), Type::Array(..)) = (braced_string(items), self.types.get(part.ty)) {
                        return self.expression_leaf(part, e, out);
                    }
                    self.aggregate(part, items, &mut 0, true, out).map(|_| ())
                }
                _ => match items.first() {
                    Some(item) => self.flatten(part, &item.node.initializer, out),
                    None => Ok(()),
                },
            },
        }
    }

    fn expression_leaf<'a>(
        &mut self,
        part: Part,
        e: &'a Node<ast::Expression>,
        out: &mut Vec<Leaf<'a>>,
    ) -> Result<()> {
        let span = span_of(e);
        if let (ast::Expression::StringLiteral(s), Type::Array(element, count)) =
            (&e.node, self.types.get(part.ty).clone())
        {
            let (units, _) = self.string_units(&s.node, span)?;
            let size = self.size(element, span)?;
            let room = count.unwrap_or(u64::MAX);
            let wrap = self.types.as_int(element);
            for (n, u) in units.into_iter().chain([0]).enumerate().take_while(|(n, _)| (*n as u64) < room) {
                let value = LeafValue::Character(wrap.map_or(u, |i| i.wrap(u)));
                out.push(Leaf {
                    offset: part.offset + n as u64 * size,
                    ty: element,
                    bits: None,
                    value,
                    span,
                });
            }
            return Ok(());
        }
        if let Type::Array(..) = self.types.get(part.ty) {
            return issue(span, "an array is initialised by something that is neither a list nor a string");
        }
        let value = LeafValue::Expression(e);
        out.push(Leaf { offset: part.offset, ty: part.ty, bits: part.bits, value, span });
        Ok(())
    }

    /// Member or element number `n` of an aggregate.
    fn part(&self, whole: Part, n: u64, span: Span) -> Result<Option<Part>> {
        Ok(match self.types.get(whole.ty) {
            Type::Array(element, count) => {
                let size = self.size(*element, span)?;
                (n < count.unwrap_or(0)).then(|| Part {
                    ty: *element,
                    offset: whole.offset + n * size,
                    bits: None,
                })
            }
            Type::Record(r) => {
                let record = &self.types.records[*r];
                let fields = record.fields.as_deref().unwrap_or_default();
                let last = if record.is_union { 1.min(fields.len()) } else { fields.len() };
                fields[..last].get(n as usize).map(|f| Part {
                    ty: f.ty,
                    offset: whole.offset + f.offset,
                    bits: f.bits,
                })
            }
            _ => None,
        })
    }

    /// Walks the items of a list over an aggregate; returns how many elements the list covers. Without braces of its
    /// own, an aggregate takes only as many items as it needs.
    fn aggregate<'a>(
        &mut self,
        whole: Part,
        items: &'a Items,
        at: &mut usize,
        braced: bool,
        out: &mut Vec<Leaf<'a>>,
    ) -> Result<u64> {
        let (mut index, mut covered) = (0, 0);
        while let Some(item) = items.get(*at) {
            let span = span_of(item);
            if !item.node.designation.is_empty() {
                if !braced {
                    return Ok(covered);
                }
                index = self.designated(whole, &item.node, span, out)?;
                *at += 1;
            } else {
                let Some(part) = self.part(whole, index, span)? else {
                    return if braced { issue(span, "too many initialisers") } else { Ok(covered) };
                };
                self.element_initializer(part, items, at, out)?;
            }
            index += 1;
            covered = covered.max(index);
        }
        Ok(covered)
    }

    fn element_initializer<'a>(
        &mut self,
        part: Part,
        items: &'a Items,
        at: &mut usize,
        out: &mut Vec<Leaf<'a>>,
    ) -> Result<()> {
        let init = &items[*at].node.initializer;
        let descend = match (&init.node, self.types.get(part.ty)) {
            (ast::Initializer::List(_), _) => false,
            (ast::Initializer::Expression(e), Type::Array(..)) => {
                !matches!(e.node, ast::Expression::StringLiteral(_))
            }
            (ast::Initializer::Expression(e), Type::Record(_)) => self.type_of(e)? != part.ty,
            _ => false,
        };
        if descend {
            let before = *at;
            self.aggregate(part, items, at, false, out)?;
            // An empty structure takes nothing.
            if *at == before && self.part(part, 0, span_of(init))?.is_some() {
                *at += 1;
            }
            return Ok(());
        }
        *at += 1;
        self.flatten(part, init, out)
    }

    /// An item with designators; returns the index of the element that it set last.
    fn designated<'a>(
        &mut self,
        whole: Part,
        item: &'a ast::InitializerListItem,
        span: Span,
        out: &mut Vec<Leaf<'a>>,
    ) -> Result<u64> {
        let (first, rest) = item.designation.split_first().expect("the caller has seen a designator");
        let (from, to, parts) = match &first.node {
            ast::Designator::Index(e) => {
                let n = self.index_constant(e)?;
                (n, n, None)
            }
            ast::Designator::Range(r) => {
                (self.index_constant(&r.node.from)?, self.index_constant(&r.node.to)?, None)
            }
            ast::Designator::Member(name) => {
                let field = self.field(whole.ty, &name.node.name, span)?;
                let Type::Record(r) = *self.types.get(whole.ty) else {
                    return issue(span, "a member of an array");
                };
                let fields = self.types.records[r].fields.as_deref().unwrap_or_default();
                let n = fields.iter().rposition(|f| f.offset <= field.offset).unwrap_or(0) as u64;
                let exact = fields.iter().position(|f| f.name.as_deref() == Some(&name.node.name));
                let n = exact.map_or(n, |n| n as u64);
                let part = Part { ty: field.ty, offset: whole.offset + field.offset, bits: field.bits };
                (n, n, Some(part))
            }
        };
        if to.saturating_sub(from) > 1 << 20 {
            return unsupported(span, "a designator range of more than a million elements");
        }
        for n in from..=to {
            let mut part = match parts {
                Some(p) => p,
                None => match self.part(whole, n, span)? {
                    Some(p) => p,
                    None => return issue(span, "a designator beyond the end of the array"),
                },
            };
            for d in rest {
                part = match &d.node {
                    ast::Designator::Index(e) => {
                        let n = self.index_constant(e)?;
                        match self.part(part, n, span)? {
                            Some(p) => p,
                            None => return issue(span, "a designator beyond the end of the array"),
                        }
                    }
                    ast::Designator::Member(name) => {
                        let f = self.field(part.ty, &name.node.name, span)?;
                        Part { ty: f.ty, offset: part.offset + f.offset, bits: f.bits }
                    }
                    ast::Designator::Range(_) => return unsupported(span, "a range inside a designator"),
                };
            }
            self.flatten(part, &item.initializer, out)?;
        }
        Ok(to)
    }

    fn index_constant(&mut self, e: &Node<ast::Expression>) -> Result<u64> {
        let n = self.constant(e)?;
        u64::try_from(n).or_else(|_| issue(span_of(e), "a negative index"))
    }
}

/// The string of an initialiser such as `{"text"}`.
fn braced_string(items: &Items) -> Option<&Node<ast::Expression>> {
    match items {
        [item] if item.node.designation.is_empty() => match &item.node.initializer.node {
            ast::Initializer::Expression(e) if matches!(e.node, ast::Expression::StringLiteral(_)) => Some(e),
            _ => None,
        },
        _ => None,
    }
}
