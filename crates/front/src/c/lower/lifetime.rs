//! Lifetimes, where the safety of memory is checked: which objects are made, and where they end; and functions that are called
//! where scopes are left (the attribute `cleanup`).
//!
//! A variable ends where its scope is left. Where control falls out of a scope an instruction says so; a jump out of
//! scopes is found when the function is complete, by the scopes that the blocks at both ends of an edge lie in. What
//! ends with a whole function needs no instruction, except for objects made by arrays of variable length and `alloca`,
//! which pointers lead to.

use super::ctype::CType;
use super::object::{Lowered, Value, Whole};
use super::{Lower, Result, Scope, UNSUPPORTED, builtin, decl, names, unsupported};
use crate::c::hir::{
    Base, BinOp, Block, BlockId, Callee, Ending, Expr, ExprId, FuncId, Guard, Instr, InstrKind, Lifetime,
    Place, Storage, Terminator, VarId,
};
use crate::c::safety::BEYOND;
use crate::c::syntax::source::Issue;
use crate::c::syntax::{Parsed, ast};
use bolide_base::Id;
use bolide_model::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The library function that needs the sizes of objects.
const SIZED: &str = "realloc";

/// The number of the error that an allocation which fails sets (`ENOMEM`).
const NO_MEMORY: i128 = 12;

/// The scopes around a place, the outermost first.
pub(super) type Path = Option<Rc<[usize]>>;

/// The scopes of a function under construction.
#[derive(Default)]
pub(super) struct Lifetimes {
    starts: FxHashMap<BlockId, Rc<[usize]>>,
    ends: FxHashMap<BlockId, Rc<[usize]>>,
    /// The variables of scopes that have been left.
    left: FxHashMap<usize, Vec<VarId>>,
    /// What is called where scopes are left: a function, with the address of a variable.
    cleanups: FxHashMap<usize, (VarId, FuncId)>,
    /// Pointers to what `alloca` has made.
    frame: Vec<VarId>,
    /// Pointers to objects that end with their scope or with the function.
    pointers: Vec<VarId>,
}

impl Lifetimes {
    /// A block begins inside of scopes.
    pub fn starts(&mut self, b: BlockId, path: Path) {
        self.starts.extend(path.map(|p| (b, p)));
    }

    /// A block ends inside of scopes.
    pub fn ends(&mut self, b: BlockId, path: Path) {
        self.ends.extend(path.map(|p| (b, p)));
    }
}

/// What happens where a scope is left.
#[derive(Clone, Copy)]
enum Leaving {
    /// The lifetime of a variable ends.
    Life(VarId),
    /// A function is called with the address of a variable.
    Call(VarId, FuncId),
}

/// Does a text have variables with a function that is called at the end of their scope?
pub(super) fn cleans_up(text: &Parsed) -> bool {
    text.mentions("cleanup") || text.mentions("__cleanup__")
}

/// Does a text use a library function that needs the sizes of objects?
pub(super) fn needs_sizes(text: &Parsed) -> bool {
    let is_mentioned = names::variants(SIZED).iter().any(|name| text.mentions(name));
    let is_own = || text.tree.items.iter().any(|i| decl::defined_name(i).as_deref() == Some(SIZED));
    let is_use = |e: &ast::Expr| matches!(&e.kind, ast::ExprKind::Name(n) if names::plain(n) == SIZED);
    is_mentioned && !is_own() && text.tree.exprs.iter().any(is_use)
}

impl Lower<'_> {
    /// Are sizes and lifetimes of objects followed?
    pub(super) fn guards(&self) -> bool {
        self.follows_objects
    }

    pub(super) fn new_scope(&mut self) -> Scope {
        let mut scope = Scope::default();
        if self.follows_scopes {
            scope.id = self.next_scope;
            self.next_scope += 1;
        }
        scope
    }

    /// The scopes around the current place, if they matter.
    pub(super) fn scope_path(&self) -> Path {
        self.follows_scopes.then(|| self.scopes.iter().map(|s| s.id).collect())
    }

    /// The lifetime of a variable may start with an instruction.
    pub(super) fn note_lifetime(&mut self, kind: &InstrKind) {
        if let InstrKind::Fresh(v, _) = *kind
            && self.guards()
            && !self.is_unevaluated
        {
            self.ends_with_scope(v);
        }
    }

    fn ends_with_scope(&mut self, v: VarId) {
        if let (Storage::Auto(_), Some(scope)) = (self.vars[v].storage, self.scopes.last_mut())
            && !scope.lifetimes.contains(&v)
        {
            scope.lifetimes.push(v);
        }
    }

    /// From here to the end of the scope a variable has a function that is called there. That part is a scope of its own: what
    /// jumps out of it calls the function, and what left the block before the declaration does not.
    pub(super) fn clean_up(&mut self, v: VarId, f: FuncId, span: Span) -> Result<()> {
        let name = self.funcs[f].name.clone();
        if !self.defined.contains(name.as_str()) || self.is_nested(f) || self.variable_arrays.contains(&v) {
            return unsupported(span, format_args!("the attribute 'cleanup' with '{name}'"));
        }
        let mut scope = self.new_scope();
        scope.cleanup = Some((v, f));
        self.scopes.push(scope);
        Ok(())
    }

    /// Leaves the innermost scope; control may fall out of it.
    pub(super) fn leave_scope(&mut self) {
        while let Some(scope) = self.scopes.pop() {
            let is_rest = scope.cleanup.is_some();
            if self.body.is_some() {
                for leaving in self.left(&scope) {
                    let instr = self.leaving(leaving);
                    let body = self.body();
                    let current = body.current;
                    body.blocks[current].instrs.push(instr);
                }
                self.note_left(scope);
            }
            if !is_rest {
                return;
            }
        }
    }

    /// What happens at the end of a scope.
    fn left(&self, scope: &Scope) -> Vec<Leaving> {
        let call = scope.cleanup.iter().map(|&(v, f)| Leaving::Call(v, f));
        call.chain(scope.lifetimes.iter().map(|&v| Leaving::Life(v))).collect()
    }

    fn note_left(&mut self, scope: Scope) {
        let lifetimes = &mut self.body().lifetimes;
        lifetimes.cleanups.extend(scope.cleanup.map(|c| (scope.id, c)));
        if !scope.lifetimes.is_empty() {
            lifetimes.left.insert(scope.id, scope.lifetimes);
        }
    }

    fn leaving(&mut self, leaving: Leaving) -> Instr {
        let (v, f) = match leaving {
            Leaving::Life(v) => return self.end_of(v),
            Leaving::Call(v, f) => (v, f),
        };
        let (span, ty) = (self.vars[v].span, self.vars[v].ty);
        let address = self.address(Place::var(v, ty), span);
        Instr { kind: InstrKind::Call(None, Callee::Direct(f), vec![address]), span }
    }

    fn end_of(&mut self, v: VarId) -> Instr {
        let span = self.vars[v].span;
        let guard = if self.body().lifetimes.pointers.contains(&v) {
            Guard::Kill(self.load_var(v, span))
        } else {
            Guard::End(v)
        };
        Instr { kind: InstrKind::Guard(guard), span }
    }

    /// Leaves the outermost scope of a function. Edges that leave scopes end the lifetimes there, and returns end what the
    /// function's pointers own.
    pub(super) fn end_lifetimes(&mut self) {
        while let Some(scope) = self.scopes.pop() {
            let is_rest = scope.cleanup.is_some();
            self.note_left(scope);
            if !is_rest {
                break;
            }
        }
        if !self.follows_scopes {
            return;
        }
        let lifetimes = std::mem::take(&mut self.body().lifetimes);
        let of = |id: &usize| -> Vec<Leaving> {
            let call = lifetimes.cleanups.get(id).map(|&(v, f)| Leaving::Call(v, f));
            let lives = lifetimes.left.get(id).into_iter().flatten().map(|&v| Leaving::Life(v));
            call.into_iter().chain(lives).collect()
        };
        let gone = |from: BlockId, to: BlockId| -> Vec<Leaving> {
            let (Some(from), Some(to)) = (lifetimes.ends.get(&from), lifetimes.starts.get(&to)) else {
                return Vec::new();
            };
            let same = from.iter().zip(to.iter()).take_while(|(a, b)| a == b).count();
            from[same..].iter().rev().flat_map(of).collect()
        };
        self.body().lifetimes.pointers = lifetimes.pointers.clone();
        if !lifetimes.cleanups.is_empty() && self.body().labels.has_computed_jumps() {
            let span = self.vars[lifetimes.cleanups.values().map(|c| c.0).min().expect("not empty")].span;
            let message = format!("{UNSUPPORTED}the attribute 'cleanup' in a function with computed jumps");
            self.refuse_function(Issue { span, message });
        }
        let count = self.body().blocks.len();
        for b in (0..count).map(BlockId::from_index) {
            let mut end = self.body().blocks[b].end.clone();
            let span = self.body().blocks[b].span;
            match &mut end {
                Terminator::Goto(to) => {
                    let instrs: Vec<Instr> = gone(b, *to).into_iter().map(|l| self.leaving(l)).collect();
                    self.body().blocks[b].instrs.extend(instrs);
                }
                Terminator::Branch(_, yes, no) => {
                    for to in [yes, no] {
                        *to = self.detour(*to, gone(b, *to), span);
                    }
                }
                Terminator::Switch(_, cases, default) => {
                    for (_, _, to) in cases.iter_mut() {
                        *to = self.detour(*to, gone(b, *to), span);
                    }
                    *default = self.detour(*default, gone(b, *default), span);
                }
                Terminator::Return(value) => {
                    let path = lifetimes.ends.get(&b).cloned().unwrap_or_default();
                    let is_needed = |l: &Leaving| match l {
                        Leaving::Life(v) => lifetimes.pointers.contains(v),
                        Leaving::Call(..) => true,
                    };
                    let left = path.iter().rev().flat_map(of).filter(is_needed);
                    let frame = lifetimes.frame.iter().map(|&v| Leaving::Life(v));
                    let left: Vec<Leaving> = left.chain(frame).collect();
                    if let (Some(e), false) = (*value, left.is_empty()) {
                        // What is returned is computed while the objects live.
                        let ty = self.ty(e);
                        let t = self.temp(ty, span);
                        let kind = InstrKind::Assign(Place::var(t, ty), e);
                        self.body().blocks[b].instrs.push(Instr { kind, span });
                        *value = Some(self.load_var(t, span));
                    }
                    let instrs: Vec<Instr> = left.into_iter().map(|l| self.leaving(l)).collect();
                    self.body().blocks[b].instrs.extend(instrs);
                }
                Terminator::Halt | Terminator::Error(_) => {}
            }
            self.body().blocks[b].end = end;
        }
        // Where the objects have not been made there is nothing to end.
        for v in lifetimes.pointers {
            let (ty, span) = (self.vars[v].ty, self.vars[v].span);
            let null = self.int(0, ty, span);
            let kind = InstrKind::Assign(Place::var(v, ty), null);
            self.body().blocks[BlockId::from_index(0)].instrs.insert(0, Instr { kind, span });
        }
    }

    /// A block that ends lifetimes on the way to another.
    fn detour(&mut self, to: BlockId, gone: Vec<Leaving>, span: Span) -> BlockId {
        if gone.is_empty() {
            return to;
        }
        let instrs = gone.into_iter().map(|l| self.leaving(l)).collect();
        self.body().blocks.push(Block { instrs, end: Terminator::Goto(to), span })
    }

    fn guard(&mut self, guard: Guard, span: Span) -> Result<()> {
        self.emit(InstrKind::Guard(guard), span)
    }

    /// An array of variable length has been made.
    pub(super) fn note_array(&mut self, var: VarId, bytes: crate::c::hir::ExprId, span: Span) -> Result<()> {
        if !self.guards() || self.is_unevaluated {
            return Ok(());
        }
        self.ends_with_scope(var);
        self.body().lifetimes.pointers.push(var);
        let place = Place::var(var, self.vars[var].ty);
        self.guard(Guard::New(place, bytes, Lifetime::Scope), span)
    }

    /// Are the arguments of `main` being made, which the system does?
    fn makes_arguments(&self, span: Span) -> bool {
        let is_start = |b: &super::Body| self.funcs[b.func].name == "__arguments";
        !self.source.is_own(span) && self.body.as_ref().is_some_and(is_start)
    }

    /// An object has been made by a library function.
    pub(super) fn note_allocation(&mut self, var: VarId, bytes: ExprId, f: FuncId, span: Span) -> Result<()> {
        if !self.guards() || self.is_unevaluated {
            return Ok(());
        }
        let is_of_frame = names::plain(&self.funcs[f].name) == "alloca";
        let lifetime = match is_of_frame {
            _ if self.makes_arguments(span) => Lifetime::Program,
            true => Lifetime::Scope,
            false => Lifetime::Heap,
        };
        if is_of_frame {
            let lifetimes = &mut self.body().lifetimes;
            lifetimes.frame.push(var);
            lifetimes.pointers.push(var);
        }
        let place = Place::var(var, self.vars[var].ty);
        self.guard(Guard::New(place, bytes, lifetime), span)
    }

    /// No address is used twice, and small address spaces are soon used up.
    fn assume_room(&mut self, span: Span) {
        if self.types.pointer_size() < 8 {
            self.assume_that(
                "all allocations together, freed ones included, need less than 4 GiB".into(),
                span,
            );
        }
    }

    /// What the encoding leaves out where an array of variable length is made.
    pub(super) fn assume_room_for_arrays(&mut self, span: Span) {
        self.assume_room(span);
        let what = match self.properties_wanted.bounds {
            true => "arrays of variable length fit into memory",
            false => "arrays of variable length have no negative length and fit into memory",
        };
        self.assume_that(what.into(), span);
    }

    /// Where allocation may fail, it does so on the way to the block that is returned, and the pointer is null.
    pub(super) fn allocation_fails(&mut self, var: VarId, f: FuncId, span: Span) -> Result<Option<BlockId>> {
        let is_of_frame = names::plain(&self.funcs[f].name) == "alloca";
        let is_start = self.makes_arguments(span);
        if !is_start {
            self.assume_room(span);
        }
        if !self.malloc_fails || is_of_frame || is_start {
            if !is_start {
                self.assume_that("allocation of memory does not fail".into(), span);
            }
            return Ok(None);
        }
        let c_int = self.ctypes.int();
        let fails = self.arbitrary_scalar("failure of an allocation", c_int, span)?;
        self.null_if(fails, var, span).map(Some)
    }

    /// On the way to the block that is returned a pointer is null; lowering goes on where a condition is zero.
    pub(super) fn null_if(&mut self, condition: ExprId, var: VarId, span: Span) -> Result<BlockId> {
        let (no, yes, join) = (self.block(), self.block(), self.block());
        let ty = self.vars[var].ty;
        self.end(Terminator::Branch(condition, yes, no), span, yes);
        let null = self.int(0, ty, span);
        self.emit(InstrKind::Assign(Place::var(var, ty), null), span)?;
        let int = self.types.int();
        if let Some(number) = self.error_number().filter(|&v| self.vars[v].ty == int) {
            let code = self.int(NO_MEMORY, int, span);
            self.emit(InstrKind::Assign(Place::var(number, int), code), span)?;
        }
        self.end(Terminator::Goto(join), span, no);
        Ok(join)
    }

    /// Does this function return null for more bytes than a difference of pointers can count? No library has such objects. What
    /// models ask for is never that much, unless the program says how much.
    pub(super) fn gives_null_beyond(&self, f: FuncId, span: Span) -> bool {
        let is_library = matches!(
            names::plain(&self.funcs[f].name),
            "malloc" | "calloc" | "kmalloc" | "kcalloc" | "kzalloc" | "valloc"
        );
        let says = |b: &super::Body| {
            let name = &self.funcs[b.func].name;
            name == SIZED || name.starts_with(builtin::POINTED)
        };
        is_library
            && !self.is_unevaluated
            && (self.source.is_own(span) || self.body.as_ref().is_some_and(says))
    }

    /// The number of bytes of an object, for models of library functions.
    pub(super) fn object_size(&mut self, p: ast::ExprId, span: Span) -> Result<Lowered> {
        let size_t = self.ctypes.size_t();
        let plain = self.hir(size_t);
        let t = self.temp(plain, span);
        let pointer = self.value(p)?;
        let pointer = self.as_pointer(pointer.e, span)?;
        self.guard(Guard::Size(Place::var(t, plain), pointer), span)?;
        Ok(self.temporary(t, size_t))
    }

    /// Functions that need the sizes of objects are known where those are.
    pub(super) fn knows_sizes(&self, plain: &str) -> bool {
        plain == SIZED && self.guards()
    }

    /// A library function reads a string: it ends inside of its object. One that stands in the text does.
    pub(super) fn read_string(&mut self, value: Value, span: Span) -> Result<()> {
        let is_string = self
            .ctypes
            .pointee(value.ty)
            .is_some_and(|q| matches!(self.ctypes.get(q.ty), CType::Char | CType::Int(1, _)));
        let is_text = matches!(&self.exprs[value.e].expr, Expr::Addr(Place { base: Base::Var(v), offset: 0, dynamic, .. })
            if dynamic.is_empty() && self.strings.values().any(|s| s == v));
        if !self.checks_reads() || self.is_unevaluated || !is_string || is_text {
            return Ok(());
        }
        match self.model_of("strlen") {
            Some(model) => self.emit(InstrKind::Call(None, Callee::Direct(model), vec![value.e]), span),
            None => unsupported(span, "a string that a library function reads"),
        }
    }

    /// A library function reads so many bytes, or so many times as many.
    pub(super) fn read_bytes(&mut self, p: Value, sizes: &[Value], span: Span) -> Result<()> {
        let wanted = &self.properties_wanted;
        if !(wanted.deref || wanted.bounds) || self.is_unevaluated {
            return Ok(());
        }
        let size_t = self.types.size_t();
        let mut bytes = self.int(1, size_t, span);
        for n in sizes {
            let n = self.convert(n.e, size_t, span)?;
            bytes = self.make(Expr::Binary(BinOp::Mul, bytes, n), size_t, span);
        }
        let p = self.as_pointer(p.e, span)?;
        let guard = if self.properties_wanted.deref {
            Guard::Range(p, bytes, self.property("invalid read", span))
        } else {
            Guard::RangeInside(p, bytes, self.property(BEYOND, span))
        };
        self.guard(guard, span)
    }

    /// Is something asked of what library functions read?
    pub(super) fn checks_reads(&self) -> bool {
        let wanted = &self.properties_wanted;
        wanted.deref || wanted.bounds || wanted.null || wanted.uninit
    }

    /// The value of an argument is read, whatever becomes of it.
    pub(super) fn read_whole(&mut self, whole: &Whole, span: Span) -> Result<()> {
        let wanted = &self.properties_wanted;
        let is_checked = wanted.deref || wanted.bounds || wanted.alignment || wanted.uninit;
        if !is_checked || self.is_unevaluated {
            return Ok(());
        }
        match whole {
            Whole::Scalar(v) => self.saved(v.e, span).map(|_| ()),
            Whole::Record(place, ty) => self.copied(place.clone(), *ty, span).map(|_| ()),
        }
    }

    /// What a library function that has no other effect reads.
    pub(super) fn read_arguments(&mut self, plain: &str, values: &[Value], span: Span) -> Result<()> {
        match (plain, values) {
            ("puts" | "fputs" | "perror" | "fopen" | "open" | "unlink" | "remove" | "openlog", _) => {
                values.iter().try_for_each(|v| self.read_string(*v, span))
            }
            ("write" | "send", [_, p, n, ..]) => self.read_bytes(*p, &[*n], span),
            ("fwrite", [p, size, n, ..]) => self.read_bytes(*p, &[*size, *n], span),
            _ => Ok(()),
        }
    }

    /// `free` of a pointer.
    pub(super) fn free(&mut self, p: ast::ExprId, span: Span) -> Result<()> {
        if !self.guards() {
            return self.effect(p);
        }
        let pointer = self.value(p)?;
        let pointer = self.as_pointer(pointer.e, span)?;
        // After an invalid call nothing is known about lifetimes, which the other properties need.
        let wanted = &self.properties_wanted;
        let is_checked = wanted.free || wanted.deref || wanted.leak || wanted.cleanup;
        let property = is_checked.then(|| self.property("invalid free", span));
        self.guard(Guard::Free(pointer, property), span)
    }

    /// A call that ends the program in order: what was allocated must not be lost.
    pub(super) fn check_exit(&mut self, f: FuncId, span: Span) -> Result<()> {
        let is_exit = matches!(names::plain(&self.funcs[f].name), "exit" | "_exit" | "_Exit" | "quick_exit");
        if !is_exit || self.is_unevaluated {
            return Ok(());
        }
        for (wanted, what, ending) in [
            (self.properties_wanted.leak, "memory leak", Ending::Exit),
            (self.properties_wanted.cleanup, "memory that is not freed", Ending::Clean),
        ] {
            if wanted {
                let property = self.property(what, span);
                self.guard(Guard::Leak(property, ending), span)?;
            }
        }
        Ok(())
    }
}
