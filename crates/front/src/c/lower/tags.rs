//! Structures, unions and enumerations.

use super::{Lower, Result, Symbol, Tag, issue, span_of};
use crate::c::types::{Member, Packing, Record, RecordId, Type, TypeId};
use lang_c::ast;
use lang_c::span::Node;

impl Lower<'_> {
    pub(super) fn record(&mut self, s: &Node<ast::StructType>, mut packing: Packing) -> Result<TypeId> {
        let is_union = matches!(s.node.kind.node, ast::StructKind::Union);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.clone());
        let known = match &tag {
            Some(t) if s.node.declarations.is_none() => self.find_tag(t),
            Some(t) => self.scopes.last().and_then(|scope| scope.tags.get(t).copied()),
            None => None,
        };
        let id = match known {
            Some(Tag::Record(r)) => r,
            Some(Tag::Enum(_)) => return issue(span_of(s), "the tag names an enumeration"),
            None => self.new_record(tag.clone(), is_union),
        };
        let ty = self.types.intern(Type::Record(id));
        if let Some(declarations) = &s.node.declarations {
            if self.types.records[id].fields.is_some() {
                return issue(span_of(s), "the structure is defined twice");
            }
            packing.limit = self.source.packing(s.span.start);
            let members = self.members(declarations)?;
            self.types.lay_out(id, members, packing);
        }
        Ok(ty)
    }

    fn new_record(&mut self, name: Option<String>, is_union: bool) -> RecordId {
        let id =
            self.types.records.push(Record { name: name.clone(), is_union, fields: None, size: 0, align: 1 });
        if let Some(name) = name {
            let scope = self.scopes.last_mut().expect("the file scope is always there");
            scope.tags.insert(name, Tag::Record(id));
        }
        id
    }

    fn members(&mut self, declarations: &[Node<ast::StructDeclaration>]) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        for d in declarations {
            let ast::StructDeclaration::Field(f) = &d.node else { continue };
            let base = self.qualified(&f.node.specifiers, span_of(f))?;
            let packed = |p: Packing| p.packed;
            if f.node.declarators.is_empty() && matches!(self.types.get(base), Type::Record(_)) {
                members.push(Member { name: None, ty: base, bit_width: None, align: None, packed: false });
            }
            for d in &f.node.declarators {
                let span = span_of(d);
                let (name, ty, extensions) = match &d.node.declarator {
                    Some(decl) => {
                        let (name, ty) = self.declarator(base, decl)?;
                        (name, ty, decl.node.extensions.as_slice())
                    }
                    None => (None, base, [].as_slice()),
                };
                let packing = self.packing(std::iter::once(extensions));
                let bit_width = match &d.node.bit_width {
                    Some(e) => {
                        let width = self.constant(e)?;
                        let most = self
                            .types
                            .as_int(ty)
                            .map_or(0, |i| i128::from(if i.rank == 0 { 1 } else { i.bits }));
                        if width < 0 || width > most {
                            return issue(span, "the width of the bit-field does not fit its type");
                        }
                        Some(width as u32)
                    }
                    None => None,
                };
                // A flexible array member takes no room.
                let ty = match self.types.get(ty).clone() {
                    Type::Array(t, None) => self.types.intern(Type::Array(t, Some(0))),
                    _ => ty,
                };
                self.size(ty, span)?;
                members.push(Member { name, ty, bit_width, align: packing.align, packed: packed(packing) });
            }
        }
        Ok(members)
    }

    pub(super) fn enumeration(&mut self, e: &Node<ast::EnumType>) -> Result<TypeId> {
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.clone());
        if e.node.enumerators.is_empty() {
            if let Some(Tag::Enum(ty)) = tag.as_deref().and_then(|t| self.find_tag(t)) {
                return Ok(ty);
            }
            return Ok(self.types.int_of(3, false));
        }
        let mut next = 0;
        let (mut least, mut greatest) = (0, 0);
        for item in &e.node.enumerators {
            if let Some(value) = &item.node.expression {
                next = self.constant(value)?;
            }
            let int = self.types.int();
            let fits = self.types.as_int(int).is_some_and(|i| i.wrap(next) == next);
            let ty = if fits {
                int
            } else {
                self.types.int_of(if (0..1 << 32).contains(&next) { 3 } else { 5 }, next < 0)
            };
            self.bind(&item.node.identifier.node.name, Symbol::Constant(next, ty));
            least = least.min(next);
            greatest = greatest.max(next);
            next += 1;
        }
        let wide = least < -(1 << 31) || greatest >= 1 << 32 || (least < 0 && greatest >= 1 << 31);
        let ty = self.types.int_of(if wide { 5 } else { 3 }, least < 0);
        if let Some(tag) = tag {
            let scope = self.scopes.last_mut().expect("the file scope is always there");
            scope.tags.insert(tag, Tag::Enum(ty));
        }
        Ok(ty)
    }
}
