//! Datatypes: their declarations, their constructors, selectors and testers in terms, and `match`.
//!
//! What is declared is a family of datatypes, one for each choice of its parameters; a datatype without parameters is a
//! family of one. Its members are made in the store when a sort first speaks of them.

use super::command::Command;
use super::scope::{Meaning, Scope, SortMeaning, Symbol};
use super::sort::SortOp;
use super::term::{Head, Parser};
use crate::error::{Error, Span};
use crate::lexer::Token;
use crate::print::print_sort;
use bolide_base::counted;
use bolide_term::{ConstructorDecl, Sort, SortKind, Store, Term};

/// So many datatypes may one sort bring about; a family that contains ever larger members would never end.
const MAX_INSTANCES: usize = 1000;

/// A selector of a family: its name, and its sort in terms of the parameters unless only members are known.
pub(crate) type SelectorPattern = (Box<str>, Option<Vec<SortOp>>);

/// A declared datatype with parameters.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) name: Box<str>,
    pub(crate) arity: usize,
    pub(crate) constructors: Vec<(Box<str>, Vec<SelectorPattern>)>,
    /// The members that were made: their parameters and their sorts.
    pub(crate) members: Vec<(Vec<Sort>, Sort)>,
}

/// Sorts that datatypes speak of before they are declared. The standard forbids that, but files of solidity contracts
/// have it: such a sort must be one of the datatypes that the next commands declare.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forward {
    /// Are the fields of a datatype being read?
    pub(crate) allowed: bool,
    /// The sorts that are not declared yet, with the place where they were first used.
    open: Vec<(Symbol, Sort, Error)>,
    /// Datatypes that cannot be defined before those are declared: their families and sorts.
    waiting: Vec<(usize, Vec<Sort>, Sort)>,
}

/// The place of a constructor: its family and its position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ConstructorRef {
    pub(crate) family: usize,
    pub(crate) constructor: u32,
}

impl Scope {
    /// Makes a datatype of the store, and its constructors and selectors, usable under their own names.
    pub(crate) fn declare_datatype(&mut self, store: &Store, sort: Sort) {
        let Some(datatype) = store.datatype(sort) else { return };
        let symbol = self.symbol(&datatype.name, true);
        let params = datatype.params.to_vec();
        let family = match self.sort_meaning(symbol) {
            SortMeaning::Datatype(n) => n,
            SortMeaning::Unknown => {
                let selectors = |c: &bolide_term::Constructor| {
                    c.fields.iter().map(|f| (f.name.clone(), None)).collect::<Vec<SelectorPattern>>()
                };
                let constructors =
                    datatype.constructors.iter().map(|c| (c.name.clone(), selectors(c))).collect();
                let (name, arity) = (datatype.name.clone(), params.len());
                self.families.push(Family { name, arity, constructors, members: Vec::new() });
                let n = self.families.len() - 1;
                let meaning = if arity == 0 { SortMeaning::Known(sort) } else { SortMeaning::Datatype(n) };
                self.set_sort(symbol, meaning);
                self.declare_members(n);
                n
            }
            _ => return,
        };
        let members = &mut self.families[family].members;
        if !members.iter().any(|(_, s)| *s == sort) {
            members.push((params, sort));
        }
    }

    /// Forgets the sorts that were used but not declared, and what speaks of them; where the first of them was used.
    pub(crate) fn forget_forward_sorts(&mut self) -> Option<Error> {
        if self.forward.open.is_empty() && self.forward.waiting.is_empty() {
            return None;
        }
        let forward = std::mem::take(&mut self.forward);
        for (family, _, sort) in forward.waiting {
            self.families[family].members.clear();
            self.forget_sort(sort);
        }
        forward.open.iter().for_each(|(_, sort, _)| self.forget_sort(*sort));
        forward.open.into_iter().next().map(|(_, _, error)| error)
    }

    /// Gives the constructors and selectors of a family their meanings, where their names are free.
    fn declare_members(&mut self, family: usize) {
        for n in 0..self.families[family].constructors.len() {
            let (name, selectors) = self.families[family].constructors[n].clone();
            let place = ConstructorRef { family, constructor: n as u32 };
            let symbol = self.symbol(&name, true);
            if self.is_free(symbol) {
                self.set_meaning(symbol, Meaning::Constructor(place));
            }
            for (i, (selector, _)) in selectors.iter().enumerate() {
                let symbol = self.symbol(selector, true);
                if self.is_free(symbol) {
                    self.set_meaning(symbol, Meaning::Selector(place, i as u32));
                }
            }
        }
    }
}

impl<'a> Parser<'_, 'a> {
    /// `(declare-datatype T ...)`, of which the name of the command has been read.
    pub(super) fn declare_datatype(&mut self) -> Result<Command, Error> {
        let (name, symbol) = self.new_sort_symbol()?;
        // How many parameters there are is only known after them, but the type may speak of itself.
        self.open_paren("the constructors")?;
        let params = self.type_parameters()?;
        let family = self.add_family(name, symbol, params.as_ref().map_or(0, Vec::len));
        self.constructors(family, params.as_deref().unwrap_or(&[]))?;
        if params.is_some() {
            self.close()?;
        }
        self.finish_families(family)?;
        Ok(Command::DeclareDatatypes { names: vec![name.to_owned()] })
    }

    /// `(declare-datatypes ((T n) ...) (...))`, of which the name of the command has been read.
    pub(super) fn declare_datatypes(&mut self) -> Result<Command, Error> {
        self.open_paren("the sorts")?;
        let first = self.scope.families.len();
        let mut names = Vec::new();
        while !self.at_close()? {
            self.open_paren("a sort and its arity")?;
            let (name, symbol) = self.new_sort_symbol()?;
            let arity = self.index()? as usize;
            self.close()?;
            self.add_family(name, symbol, arity);
            names.push(name.to_owned());
        }
        self.open_paren("the datatypes")?;
        for family in first..first + names.len() {
            self.open_paren("the constructors")?;
            let params = self.type_parameters()?;
            let arity = self.scope.families[family].arity;
            if params.as_ref().map_or(0, Vec::len) != arity {
                let message = format!(
                    "`{}` has {}",
                    self.scope.families[family].name,
                    counted(arity, "parameter", "parameters")
                );
                return Err(Error::new(self.lexer.span(), message));
            }
            self.constructors(family, params.as_deref().unwrap_or(&[]))?;
            if params.is_some() {
                self.close()?;
            }
        }
        self.close()?;
        self.finish_families(first)?;
        Ok(Command::DeclareDatatypes { names })
    }

    /// The parameters of `(par (X ...) (...))` up to the parenthesis before the constructors, if there is a `par`.
    fn type_parameters(&mut self) -> Result<Option<Vec<Symbol>>, Error> {
        if self.lexer.next()? != Token::Symbol("par") {
            self.lexer.unread();
            return Ok(None);
        }
        self.open_paren("the parameters")?;
        let mut params = Vec::new();
        while !self.at_close()? {
            let (name, quoted) = self.symbol("a sort parameter")?;
            params.push(self.scope.symbol(name, quoted));
        }
        self.open_paren("the constructors")?;
        Ok(Some(params))
    }

    fn add_family(&mut self, name: &str, symbol: Symbol, arity: usize) -> usize {
        let family = self.scope.families.len();
        let mut members = Vec::new();
        let meaning = if arity == 0 {
            let open = self.scope.forward.open.iter().position(|(s, ..)| *s == symbol);
            let sort = match open {
                Some(n) => self.scope.forward.open.swap_remove(n).1,
                None => self.store.new_datatype(name, &[]),
            };
            members.push((Vec::new(), sort));
            SortMeaning::Known(sort)
        } else {
            SortMeaning::Datatype(family)
        };
        self.scope.families.push(Family { name: name.into(), arity, constructors: Vec::new(), members });
        self.scope.set_sort(symbol, meaning);
        family
    }

    /// Reads constructors and the parenthesis after them.
    fn constructors(&mut self, family: usize, params: &[Symbol]) -> Result<(), Error> {
        loop {
            let (name, bare) = match self.lexer.next()? {
                Token::Close => break,
                Token::Open => (self.symbol("a constructor")?, false),
                Token::Symbol(name) => ((name, false), true),
                Token::Quoted(name) => ((name, true), true),
                other => return Err(Error::expected(self.lexer.span(), "a constructor", other)),
            };
            let (name, quoted) = name;
            let symbol = self.declarable(name, quoted)?;
            let constructor = self.scope.families[family].constructors.len() as u32;
            let place = ConstructorRef { family, constructor };
            self.scope.set_meaning(symbol, Meaning::Constructor(place));
            let mut selectors: Vec<SelectorPattern> = Vec::new();
            while !bare && !self.at_close()? {
                self.open_paren("a selector and its sort")?;
                let (selector, quoted) = self.symbol("a selector")?;
                let symbol = self.declarable(selector, quoted)?;
                self.scope.set_meaning(symbol, Meaning::Selector(place, selectors.len() as u32));
                self.scope.forward.allowed = true;
                let sort = self.sort_in_postfix(params);
                self.scope.forward.allowed = false;
                let sort = sort?;
                self.close()?;
                selectors.push((selector.into(), Some(sort)));
            }
            self.scope.families[family].constructors.push((name.into(), selectors));
        }
        if self.scope.families[family].constructors.is_empty() {
            return Err(Error::new(self.lexer.span(), "a datatype has at least one constructor"));
        }
        Ok(())
    }

    /// Defines the datatypes without parameters among the families from a position on.
    fn finish_families(&mut self, first: usize) -> Result<(), Error> {
        let span = self.lexer.span();
        let whole = |(n, f): (usize, &Family)| f.members.first().map(|(_, sort)| (first + n, *sort));
        let plain: Vec<(usize, Sort)> =
            self.scope.families[first..].iter().enumerate().filter_map(whole).collect();
        self.scope.forward.waiting.extend(plain.into_iter().map(|(family, sort)| (family, Vec::new(), sort)));
        if !self.scope.forward.open.is_empty() {
            return Ok(());
        }
        let todo = std::mem::take(&mut self.scope.forward.waiting);
        self.define_members(todo, span)
    }

    /// A sort that is to be declared as a datatype by one of the next commands.
    pub(super) fn forward_sort(&mut self, name: &str, symbol: Symbol) -> Sort {
        let sort = self.store.new_datatype(name, &[]);
        let unknown = Error::new(self.lexer.span(), format!("unknown sort `{name}`"));
        self.scope.forward.open.push((symbol, sort, unknown));
        self.scope.set_sort(symbol, SortMeaning::Known(sort));
        sort
    }

    /// May a sort symbol be declared, perhaps after it was used?
    pub(super) fn is_declarable_sort(&self, symbol: Symbol) -> bool {
        self.scope.sort_meaning(symbol) == SortMeaning::Unknown
            || self.scope.forward.open.iter().any(|(s, ..)| *s == symbol)
    }

    /// All sorts that datatypes speak of must be declared by now; if not, those datatypes are forgotten.
    pub(super) fn expect_no_forward_sorts(&mut self) -> Result<(), Error> {
        self.scope.forget_forward_sorts().map_or(Ok(()), Err)
    }

    /// The member of a family with these parameters.
    pub(super) fn family_member(
        &mut self,
        family: usize,
        params: Vec<Sort>,
        span: Span,
    ) -> Result<Sort, Error> {
        if let Some((_, sort)) = self.scope.families[family].members.iter().find(|(p, _)| *p == params) {
            return Ok(*sort);
        }
        let sort = self.add_member(family, &params);
        self.define_members(vec![(family, params, sort)], span)?;
        Ok(sort)
    }

    fn add_member(&mut self, family: usize, params: &[Sort]) -> Sort {
        let sort = self.store.new_datatype(&self.scope.families[family].name, params);
        self.scope.families[family].members.push((params.to_vec(), sort));
        sort
    }

    /// Defines members of families, and those that they speak of.
    fn define_members(&mut self, todo: Vec<(usize, Vec<Sort>, Sort)>, span: Span) -> Result<(), Error> {
        let mut all: Vec<(Sort, Vec<ConstructorDecl>)> = Vec::new();
        let mut added: Vec<usize> = todo.iter().map(|t| t.0).collect();
        let mut todo = todo;
        let result = self.collect_members(&mut todo, &mut all, &mut added, span).and_then(|()| {
            self.store.define_datatypes(&all).map_err(|error| Error::new(span, error.to_string()))
        });
        if result.is_err() {
            // What was not defined must not be found again.
            let store = &*self.store;
            let defined =
                |sort: Sort| store.constructor_count(sort) > 0 && !all.iter().any(|(s, _)| *s == sort);
            for family in added {
                self.scope.families[family].members.retain(|(_, sort)| defined(*sort));
            }
        }
        result
    }

    fn collect_members(
        &mut self,
        todo: &mut Vec<(usize, Vec<Sort>, Sort)>,
        all: &mut Vec<(Sort, Vec<ConstructorDecl>)>,
        added: &mut Vec<usize>,
        span: Span,
    ) -> Result<(), Error> {
        while let Some((family, params, sort)) = todo.pop() {
            let mut constructors: Vec<ConstructorDecl> = Vec::new();
            for (name, selectors) in self.scope.families[family].constructors.clone() {
                let mut fields = Vec::with_capacity(selectors.len());
                for (selector, pattern) in selectors {
                    let Some(pattern) = pattern else {
                        return Err(Error::new(span, "this member of a family of datatypes is not known"));
                    };
                    let field = self.evaluate_in(pattern, &params, span, &mut |parser, family, params| {
                        let members = &parser.scope.families[family].members;
                        if let Some((_, sort)) = members.iter().find(|(p, _)| *p == params) {
                            return *sort;
                        }
                        let sort = parser.add_member(family, &params);
                        todo.push((family, params, sort));
                        added.push(family);
                        sort
                    })?;
                    fields.push((selector, field));
                }
                constructors.push((name, fields));
            }
            all.push((sort, constructors));
            if all.len() > MAX_INSTANCES {
                return Err(Error::new(
                    span,
                    format!("a sort brings about more than {MAX_INSTANCES} datatypes"),
                ));
            }
        }
        Ok(())
    }

    /// A constructor without fields and without parameters.
    pub(super) fn constructor_constant(&mut self, place: ConstructorRef, name: &str) -> Result<Term, Error> {
        let family = &self.scope.families[place.family];
        if !family.constructors[place.constructor as usize].1.is_empty() {
            return Err(Error::new(self.lexer.span(), format!("`{name}` needs arguments")));
        }
        match family.members.first() {
            Some(&(_, sort)) if family.arity == 0 => Ok(self.store.construct(sort, place.constructor, &[])),
            _ => {
                let message = format!("`{name}` needs its sort, as in `(as {name} S)`");
                Err(Error::new(self.lexer.span(), message))
            }
        }
    }

    /// `(as c S)` where `c` has no fields.
    pub(super) fn sorted_constructor(
        &mut self,
        place: ConstructorRef,
        name: &str,
        sort: Sort,
        span: Span,
    ) -> Result<Term, Error> {
        self.check_member(place.family, name, sort, span)?;
        if !self.store.constructor(sort, place.constructor).fields.is_empty() {
            return Err(Error::new(span, format!("`{name}` needs arguments")));
        }
        Ok(self.store.construct(sort, place.constructor, &[]))
    }

    /// A sort must be a member of a family, of which `name` is a constructor.
    pub(super) fn check_member(
        &self,
        family: usize,
        name: &str,
        sort: Sort,
        span: Span,
    ) -> Result<(), Error> {
        if self.scope.families[family].members.iter().any(|(_, s)| *s == sort) {
            return Ok(());
        }
        let sort = print_sort(self.store, sort).to_string();
        Err(Error::new(span, format!("`{name}` is no constructor of {sort}")))
    }

    /// The constructor of a name, also behind `is-`.
    pub(super) fn tester_by_name(&mut self, name: &str, quoted: bool) -> Option<ConstructorRef> {
        let symbol = self.scope.symbol(name.strip_prefix("is-")?, quoted);
        match self.scope.meaning(symbol) {
            Meaning::Constructor(place) => Some(place),
            _ => None,
        }
    }

    /// `(_ is c)`, of which `(_ is` has been read.
    pub(super) fn tester_head(&mut self) -> Result<Head, Error> {
        let (name, quoted) = self.symbol("a constructor")?;
        let symbol = self.scope.symbol(name, quoted);
        let Meaning::Constructor(place) = self.scope.meaning(symbol) else {
            return Err(Error::expected(self.lexer.span(), "a constructor", format!("`{name}`")));
        };
        self.close()?;
        Ok(Head::Tester(place))
    }

    /// A constructor applied to arguments.
    pub(super) fn apply_constructor(
        &mut self,
        place: ConstructorRef,
        sort: Option<Sort>,
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        let head = Head::Constructor(place, sort);
        let family = &self.scope.families[place.family];
        self.arity(first, family.constructors[place.constructor as usize].1.len(), head, span)?;
        let sort = match sort {
            Some(sort) => sort,
            None if family.arity == 0 => match family.members.first() {
                Some(member) => member.1,
                None => return Err(Error::new(span, "this datatype is not known")),
            },
            None => {
                let params = self.infer_parameters(place, first, span)?;
                self.family_member(place.family, params, span)?
            }
        };
        for i in 0..self.count(first) {
            let field = self.store.constructor(sort, place.constructor).fields[i].sort;
            self.expect_argument(first, i, field, head)?;
        }
        Ok(self.store.construct(sort, place.constructor, &self.stacks.terms[first..]))
    }

    /// The parameters for which the sorts of the arguments are those of the fields.
    fn infer_parameters(&self, place: ConstructorRef, first: usize, span: Span) -> Result<Vec<Sort>, Error> {
        let family = &self.scope.families[place.family];
        let (name, selectors) = &family.constructors[place.constructor as usize];
        let mut params = vec![None; family.arity];
        for (i, (_, pattern)) in selectors.iter().enumerate() {
            let sort = self.store.sort_of(self.stacks.terms[first + i]);
            if let Some(pattern) = pattern {
                self.match_sort(pattern, sort, &mut params);
            }
        }
        let known: Option<Vec<Sort>> = params.into_iter().collect();
        known.ok_or_else(|| {
            Error::new(span, format!("the arguments do not tell the sort of `{name}`; write `(as {name} S)`"))
        })
    }

    /// Learns parameters from a sort that should have the form of a pattern.
    fn match_sort(&self, pattern: &[SortOp], sort: Sort, params: &mut [Option<Sort>]) {
        // From the end: the last operator of the pattern made the sort, and its last operand stands just before it.
        let mut todo = vec![sort];
        for op in pattern.iter().rev() {
            let Some(sort) = todo.pop() else { return };
            match op {
                SortOp::Param(i) => {
                    params[*i].get_or_insert(sort);
                }
                SortOp::Known(_) => {}
                SortOp::Array => match self.store.sort_kind(sort) {
                    SortKind::Array(index, element) => todo.extend([*index, *element]),
                    _ => return,
                },
                SortOp::Datatype(family, _) => {
                    let member = self.scope.families[*family].members.iter().find(|(_, s)| *s == sort);
                    let Some((params, _)) = member else { return };
                    todo.extend(params.iter().copied());
                }
                SortOp::Declared(..) => return,
            }
        }
    }

    /// The name of a constructor and its selectors.
    pub(super) fn constructor_name(&self, place: ConstructorRef) -> &(Box<str>, Vec<SelectorPattern>) {
        &self.scope.families[place.family].constructors[place.constructor as usize]
    }

    /// A selector applied to an argument.
    pub(super) fn apply_selector(
        &mut self,
        place: ConstructorRef,
        field: u32,
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        self.datatype_argument(place, Head::Selector(place, field), first, span)?;
        Ok(self.store.field(place.constructor, field, self.stacks.terms[first]))
    }

    /// A tester applied to an argument.
    pub(super) fn apply_tester(
        &mut self,
        place: ConstructorRef,
        first: usize,
        span: Span,
    ) -> Result<Term, Error> {
        self.datatype_argument(place, Head::Tester(place), first, span)?;
        Ok(self.store.is_constructor(place.constructor, self.stacks.terms[first]))
    }

    fn datatype_argument(
        &mut self,
        place: ConstructorRef,
        head: Head,
        first: usize,
        span: Span,
    ) -> Result<(), Error> {
        self.arity(first, 1, head, span)?;
        let sort = self.store.sort_of(self.stacks.terms[first]);
        let family = &self.scope.families[place.family];
        match family.members.iter().any(|(_, s)| *s == sort) {
            true => Ok(()),
            false => Err(self.argument_error(first, 0, &family.name, head)),
        }
    }
}
