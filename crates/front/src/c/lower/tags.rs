//! Structures, unions and enumerations.

use super::ctype::{CEnum, CRecord, CType, Ct, INT, LONG, LONG_LONG, Length, Q};
use super::declarator::Context;
use super::fields::Member;
use super::{Lower, Name, Result, Symbol, Tag, attribute, issue, unsupported};
use crate::c::DataModel;
use crate::c::syntax::ast::{
    EnumSpecifier, MemberDeclaration, MemberDeclarator, RecordSpecifier, Specifiers, TypeSpecifier,
};
use crate::c::types::{Record, RecordId};
use bolide_model::Span;

impl<'a> Lower<'a> {
    pub(super) fn record(&mut self, s: &'a RecordSpecifier) -> Result<Ct> {
        let tag = s.tag.as_ref().map(|i| i.name.clone());
        let known = match &tag {
            Some(t) if s.members.is_none() => self.find_tag(t),
            Some(t) => self.scopes.last().and_then(|scope| scope.tags.get(t).copied()),
            None => None,
        };
        let id = match known {
            Some(Tag::Record(r)) if self.ctypes.records[r].is_union == s.is_union => r,
            Some(_) => {
                let tag = tag.as_deref().unwrap_or_default();
                return issue(s.span, format!("'{tag}' is the tag of something else"));
            }
            None => self.new_record(tag, s.is_union),
        };
        let ty = self.ctypes.intern(CType::Record(id));
        if let Some(members) = &s.members {
            if self.ctypes.records[id].fields.is_some() {
                return issue(s.span, "the structure is defined twice");
            }
            self.refuse_attributes(&s.attributes)?;
            let mut packing = self.packing(&s.attributes)?;
            packing.limit = s.pack;
            self.ctypes.records[id].is_transparent = attribute::has(&s.attributes, "transparent_union");
            let members = self.members(members, id)?;
            self.refuse_duplicates(&members, s.span)?;
            // A member may have completed it, which a compiler would have rejected as nested redefinition.
            if self.ctypes.records[id].fields.is_some() {
                return issue(s.span, "the structure is defined inside itself");
            }
            self.lay_out(id, members, packing);
        } else if attribute::has(&s.attributes, "transparent_union") {
            self.ctypes.records[id].is_transparent = true;
        }
        Ok(ty)
    }

    pub(super) fn new_record(&mut self, tag: Option<Name>, is_union: bool) -> RecordId {
        let name = tag.as_deref().map(str::to_owned);
        self.types.records.push(Record { name, is_union, fields: None, size: 0, align: 1 });
        let id = self.ctypes.records.push(CRecord {
            tag: tag.clone(),
            is_union,
            fields: None,
            size: 0,
            align: 1,
            user_align: false,
            is_flexible: false,
            is_transparent: false,
        });
        if let Some(tag) = tag {
            let scope = self.scopes.last_mut().expect("the file scope is always there");
            scope.tags.insert(tag, Tag::Record(id));
        }
        id
    }

    fn members(&mut self, declarations: &'a [MemberDeclaration], id: RecordId) -> Result<Vec<Member>> {
        let mut members: Vec<Member> = Vec::new();
        for d in declarations {
            let (specifiers, declarators) = match d {
                MemberDeclaration::Members(s, d) => (s, d),
                MemberDeclaration::StaticAssert(a) => {
                    self.static_assert(a)?;
                    continue;
                }
            };
            let base = self.specified(specifiers)?;
            if declarators.is_empty() {
                members.extend(self.anonymous(specifiers, base)?);
            }
            for d in declarators {
                let member = self.member(specifiers, base, d)?;
                members.push(member);
            }
        }
        let (last, first) = match members.split_last() {
            Some((last, first)) => (last, first),
            None => return Ok(members),
        };
        let is_open = |m: &Member| matches!(self.ctypes.get(m.ty.ty), CType::Array(_, Length::Unknown));
        if let Some(m) = first.iter().find(|m| is_open(m))
            && !self.ctypes.records[id].is_union
        {
            let name = m.name.as_deref().unwrap_or_default();
            let span = declarations_span(declarations);
            return issue(span, format!("the array '{name}' without a length is not the last member"));
        }
        self.ctypes.records[id].is_flexible = is_open(last);
        Ok(members)
    }

    /// A record without a name among the members of another one; a mention of a tag declares no member.
    fn anonymous(&mut self, s: &'a Specifiers, base: Q) -> Result<Option<Member>> {
        let is_defined = match &s.ty {
            TypeSpecifier::Record(r) => r.tag.is_none(),
            _ => false,
        };
        if !is_defined {
            return Ok(None);
        }
        let align = self.specified_align(s)?;
        Ok(Some(Member { name: None, ty: base, width: None, align, packed: false }))
    }

    fn member(&mut self, s: &'a Specifiers, base: Q, d: &'a MemberDeclarator) -> Result<Member> {
        let declarator = &d.declarator;
        let span = declarator.ident.as_ref().map_or(declarator.span, |i| i.span);
        let q = self.declared(base, declarator, Context::Constant)?;
        let q = self.in_mode(q, &declarator.attributes)?;
        let name = declarator.ident.as_ref().map(|i| i.name.clone());
        let width = match d.width {
            Some(e) => Some(self.width(q, e, name.is_some())?),
            None => None,
        };
        match self.ctypes.get(q.ty) {
            CType::Function(_) => return issue(span, "a member that is a function"),
            CType::Void => return issue(span, "a member of type void"),
            CType::Array(_, Length::Unknown) => {}
            _ => self.require_complete(q, span)?,
        }
        if self.ctypes.size_of(q.ty).is_some_and(|n| n >= 1 << 40) {
            return issue(span, "the member is too large");
        }
        let mut align = self.specified_align(s)?;
        if let Some(own) = self.asked_align(&declarator.attributes, &[])? {
            align = Some(align.unwrap_or(1).max(own));
        }
        let packed =
            attribute::has(&declarator.attributes, "packed") || attribute::has(&s.attributes, "packed");
        Ok(Member { name, ty: q, width, align, packed })
    }

    fn width(&mut self, q: Q, e: crate::c::syntax::ast::ExprId, has_name: bool) -> Result<u32> {
        let span = self.span(e);
        let width = self.constant(e)?;
        let Some((most, _)) = self.ctypes.precision(q.ty) else {
            return issue(span, "a bit-field of a type that is not an integer");
        };
        if most > 64 {
            return unsupported(span, "bit-fields of more than 64 bits");
        }
        match u32::try_from(width) {
            Ok(0) if has_name => issue(span, "a bit-field of width zero has a name"),
            Ok(w) if w <= most => Ok(w),
            _ => issue(span, "the width of the bit-field does not fit its type"),
        }
    }

    /// No two members have the same name, those of anonymous members included.
    fn refuse_duplicates(&self, members: &[Member], span: Span) -> Result<()> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work: Vec<(Option<Name>, Q)> = members.iter().map(|m| (m.name.clone(), m.ty)).collect();
        while let Some((name, q)) = work.pop() {
            match (name, self.ctypes.get(q.ty)) {
                (Some(name), _) if !seen.insert(name.clone()) => {
                    return issue(span, format!("two members are named '{name}'"));
                }
                (Some(_), _) => {}
                (None, CType::Record(r)) => {
                    let fields = self.ctypes.records[*r].fields.as_deref();
                    work.extend(fields.into_iter().flatten().map(|f| (f.name.clone(), f.ty)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn enumeration(&mut self, e: &'a EnumSpecifier) -> Result<Ct> {
        let tag = e.tag.as_ref().map(|i| i.name.clone());
        let known = match &tag {
            Some(t) if e.constants.is_none() => self.find_tag(t),
            Some(t) => self.scopes.last().and_then(|scope| scope.tags.get(t).copied()),
            None => None,
        };
        let id = match known {
            Some(Tag::Enum(id)) => id,
            Some(Tag::Record(_)) => return issue(e.span, "the tag names a structure or union"),
            None => {
                let id = self.ctypes.enums.push(CEnum { tag: tag.clone(), underlying: None });
                if let Some(tag) = tag {
                    let scope = self.scopes.last_mut().expect("the file scope is always there");
                    scope.tags.insert(tag, Tag::Enum(id));
                }
                id
            }
        };
        let ty = self.ctypes.intern(CType::Enum(id));
        if let Some(name) = &e.underlying {
            let q = self.type_name(name)?;
            self.ctypes.enums[id].underlying = Some(q.ty);
        }
        let Some(constants) = &e.constants else { return Ok(ty) };
        if self.ctypes.enums[id].underlying.is_some() && e.underlying.is_none() {
            return issue(e.span, "the enumeration is defined twice");
        }
        let (mut next, mut least, mut greatest) = (0, 0, 0);
        let mut values = Vec::with_capacity(constants.len());
        let int = self.ctypes.int();
        for c in constants {
            if let Some(value) = c.value {
                next = self.constant(value)?;
            }
            if !(-(1 << 63)..1 << 64).contains(&next) {
                return issue(c.ident.span, "the value of the enumeration constant is too large");
            }
            if self.scopes.last().is_some_and(|s| s.names.contains_key(&c.ident.name)) {
                return issue(c.ident.span, format!("'{}' is declared twice", c.ident.name));
            }
            // Later constants see it with the type of its value.
            let own = self.constant_type(next);
            self.bind(&c.ident.name, Symbol::Constant(next, own));
            values.push((c.ident.name.clone(), next));
            least = least.min(next);
            greatest = greatest.max(next);
            next += 1;
        }
        let is_packed = attribute::has(&e.attributes, "packed");
        let mut underlying = self.enum_type(least, greatest, is_packed, e.span)?;
        if e.underlying.is_some() {
            underlying = self.ctypes.enums[id].underlying.unwrap_or(underlying);
        }
        let q = self.in_mode(Q::plain(underlying), &e.attributes)?;
        self.ctypes.enums[id].underlying = Some(q.ty);
        for (name, value) in values {
            let fits = i32::try_from(value).is_ok();
            self.bind(&name, Symbol::Constant(value, if fits { int } else { ty }));
        }
        Ok(ty)
    }

    /// The type that the value of an enumeration constant has inside its enumeration.
    fn constant_type(&mut self, value: i128) -> Ct {
        let wide = self.wide_rank();
        if i32::try_from(value).is_ok() {
            self.ctypes.int()
        } else if u32::try_from(value).is_ok() {
            self.ctypes.int_of(INT, false)
        } else {
            self.ctypes.int_of(wide, value < 1 << 63)
        }
    }

    fn wide_rank(&self) -> u8 {
        if self.ctypes.model == DataModel::Ilp32 { LONG_LONG } else { LONG }
    }

    /// The smallest type from `int` up, or from `char` up if packed, for a range of values.
    fn enum_type(&mut self, least: i128, greatest: i128, is_packed: bool, span: Span) -> Result<Ct> {
        let signed = least < 0;
        let wide = self.wide_rank();
        for rank in [1, 2, INT, wide] {
            if rank < INT && !is_packed {
                continue;
            }
            let ty = self.ctypes.int_of(rank, signed);
            let (low, high) = self.ctypes.as_int(ty).map_or((0, 0), |i| i.range());
            if low <= least && greatest <= high {
                return Ok(ty);
            }
        }
        issue(span, "the constants of the enumeration fit no integer type")
    }
}

fn declarations_span(declarations: &[MemberDeclaration]) -> Span {
    match declarations.first() {
        Some(MemberDeclaration::Members(s, _)) => s.span,
        Some(MemberDeclaration::StaticAssert(a)) => a.span,
        None => Span::default(),
    }
}
