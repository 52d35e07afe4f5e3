//! Programs as BTOR2 (Niemetz, Preiner, Wolf and Biere, CAV 2018): words and arrays of words.
//!
//! The location is a state, `pc`. In each step an input chooses one of the edges that leave it; if its guard does not
//! hold, nothing changes, which adds no reachable state. Integers must have known bounds, see [`repr`](super::repr).

use super::repr::{Integers, Repr};
use super::{Move, Untranslatable, moves, remarks};
use crate::{Program, Span};
use bolide_base::{IBig, Rational};
use bolide_smtlib::print_term;
use bolide_term::{Op, Sort, SortKind, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Writes a program as a transition system whose bad states are the error locations.
pub fn write(store: &Store, program: &Program) -> Result<String, Untranslatable> {
    let moves = moves(program)?;
    let integers = Integers::new(store, program, &moves)?;
    let mut writer = Writer {
        store,
        integers,
        out: String::new(),
        last: 0,
        sorts: FxHashMap::default(),
        nodes: FxHashMap::default(),
        symbols: FxHashSet::default(),
        span: program.main().span,
    };
    for line in remarks(program, program.main()) {
        let _ = writeln!(writer.out, "; {line}");
    }
    writer.program(program, &moves)?;
    Ok(writer.out)
}

/// The number of a line.
type Id = u64;

/// A sort of BTOR2.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Word(u32),
    Array(u32, u32),
}

struct Writer<'a> {
    store: &'a Store,
    integers: Integers,
    out: String,
    last: Id,
    sorts: FxHashMap<Kind, Id>,
    /// The lines of terms; integers have the common width.
    nodes: FxHashMap<Term, Id>,
    /// The names that were given.
    symbols: FxHashSet<String>,
    /// The text that is being written about, for messages.
    span: Span,
}

const BIT: Kind = Kind::Word(1);

impl Writer<'_> {
    fn program(&mut self, program: &Program, moves: &[Move<'_>]) -> Result<(), Untranslatable> {
        let main = program.main();
        let pc_kind = Kind::Word(bits_for(main.locations.len()));
        // A state comes after its first value.
        let start = self.constant(pc_kind, &IBig::from(main.entry.index()));
        let pc = self.named(pc_kind, "state", "pc");
        self.line(pc_kind, "init", &[pc, start], "");
        let mut states = Vec::with_capacity(program.vars.len());
        for v in program.vars.iter() {
            let (kind, repr) = self.kept(v.term)?;
            let state = self.named(kind, "state", &v.name);
            self.bring_in(v.term, state, kind, repr);
            states.push((state, kind, repr));
        }
        for &(value, input) in moves.iter().flat_map(|m| &m.step.inputs) {
            if !self.nodes.contains_key(&value) {
                self.span = program.inputs[input].span;
                let (kind, repr) = self.kept(value)?;
                let line = self.named(kind, "input", &program.inputs[input].name);
                self.bring_in(value, line, kind, repr);
            }
        }

        let taken = self.taken(pc, pc_kind, main.locations.len(), moves)?;
        let mut next_pc = pc;
        for (m, &now) in moves.iter().zip(&taken) {
            let to = self.constant(pc_kind, &IBig::from(m.to.index()));
            next_pc = self.line(pc_kind, "ite", &[now, to, next_pc], "");
        }
        self.line(pc_kind, "next", &[pc, next_pc], "");
        for (v, &(state, kind, repr)) in program.vars.ids().zip(&states) {
            let mut next = state;
            for (m, &now) in moves.iter().zip(&taken) {
                if let Some(value) = m.step.value_of(v) {
                    self.span = m.span;
                    let line = self.term(value)?;
                    let line = self.kept_value(value, line, kind, repr)?;
                    next = self.line(kind, "ite", &[now, line, next], "");
                }
            }
            self.line(kind, "next", &[state, next], "");
        }
        for (l, location) in main.locations.iter_enumerated() {
            if let Some(property) = location.error {
                let here = self.constant(pc_kind, &IBig::from(l.index()));
                let bad = self.line(BIT, "eq", &[pc, here], "");
                self.bare("bad", bad, &symbol(&program.properties[property].name));
            }
        }
        Ok(())
    }

    /// For each edge the line that says that it is taken.
    fn taken(
        &mut self,
        pc: Id,
        pc_kind: Kind,
        locations: usize,
        moves: &[Move<'_>],
    ) -> Result<Vec<Id>, Untranslatable> {
        let mut leaving = vec![0usize; locations];
        let places: Vec<usize> = moves
            .iter()
            .map(|m| {
                leaving[m.from.index()] += 1;
                leaving[m.from.index()] - 1
            })
            .collect();
        let most = leaving.iter().copied().max().unwrap_or(0);
        let choice_kind = Kind::Word(bits_for(most));
        let choice = if most > 1 { self.named(choice_kind, "input", "choice") } else { 0 };
        let mut out = Vec::with_capacity(moves.len());
        for (m, &place) in moves.iter().zip(&places) {
            self.span = m.span;
            let guard = self.term(m.step.guard)?;
            let from = self.constant(pc_kind, &IBig::from(m.from.index()));
            let here = self.line(BIT, "eq", &[pc, from], "");
            let mut now = self.line(BIT, "and", &[here, guard], "");
            if leaving[m.from.index()] > 1 {
                let number = self.constant(choice_kind, &IBig::from(place));
                let chosen = self.line(BIT, "eq", &[choice, number], "");
                now = self.line(BIT, "and", &[now, chosen], "");
            }
            out.push(now);
        }
        Ok(out)
    }

    /// How a variable or an input is kept, and how words of its sort or elements stand for integers.
    fn kept(&self, t: Term) -> Result<(Kind, Option<Repr>), Untranslatable> {
        let sort = self.store.sort_of(t);
        let repr = self.integers.range(t).map(Repr::of);
        if sort == Sort::INT {
            // A variable that nothing reads has no bounds that matter.
            let repr = repr.unwrap_or(Repr::of((0, 0)));
            return Ok((Kind::Word(repr.bits), Some(repr)));
        }
        match (self.store.array_sorts(sort), repr) {
            (Some((_, Sort::INT)), Some(repr)) if !repr.full => {
                Err(self.refuse(t, "an array whose elements do not fill words"))
            }
            _ => Ok((self.kind(t, sort)?, repr)),
        }
    }

    /// Makes the state or input of a constant usable in terms.
    fn bring_in(&mut self, t: Term, line: Id, kind: Kind, repr: Option<Repr>) {
        let value = match (kind, repr) {
            (Kind::Word(_), Some(repr)) => {
                let wide = self.widen(line, repr);
                if !repr.full {
                    let (low, high) = repr.range;
                    let word = Kind::Word(self.integers.width);
                    let (low, high) =
                        (self.constant(word, &IBig::from(low)), self.constant(word, &IBig::from(high)));
                    let above = self.line(BIT, "slte", &[low, wide], "");
                    let below = self.line(BIT, "slte", &[wide, high], "");
                    let within = self.line(BIT, "and", &[above, below], "");
                    self.bare("constraint", within, "");
                }
                wide
            }
            _ => line,
        };
        self.nodes.insert(t, value);
    }

    /// The value of a term in the form that a variable keeps.
    fn kept_value(
        &mut self,
        t: Term,
        line: Id,
        kind: Kind,
        repr: Option<Repr>,
    ) -> Result<Id, Untranslatable> {
        match (kind, repr) {
            (Kind::Word(bits), Some(_)) => Ok(self.slice(line, bits - 1, 0)),
            (Kind::Array(..), Some(repr)) if self.integers.range(t).map(Repr::of) != Some(repr) => {
                Err(self.refuse(t, "an array that takes elements of another range"))
            }
            _ => Ok(line),
        }
    }

    /// Lines for a term and everything below it.
    fn term(&mut self, root: Term) -> Result<Id, Untranslatable> {
        let store = self.store;
        for t in store.post_order([root]) {
            if !self.nodes.contains_key(&t) {
                let line = self.node(t)?;
                self.nodes.insert(t, line);
            }
        }
        Ok(self.nodes[&root])
    }

    /// The line of a term whose arguments have lines.
    fn node(&mut self, t: Term) -> Result<Id, Untranslatable> {
        let store = self.store;
        let args: Vec<Id> = store.args(t).iter().map(|a| self.nodes[a]).collect();
        let sort = store.sort_of(t);
        let is_int = |n: usize| store.sort_of(store.arg(t, n)) == Sort::INT;
        let kind = self.kind(t, sort)?;
        let name = match store.op(t) {
            Op::True => return Ok(self.constant(BIT, &IBig::from(1))),
            Op::False => return Ok(self.constant(BIT, &IBig::from(0))),
            Op::Num(n) | Op::BvConst(n) => {
                let value = store.num_value(n).numer_ibig();
                return Ok(self.constant(kind, &value));
            }
            Op::Not | Op::BvNot => "not",
            Op::And | Op::BvAnd => "and",
            Op::Or | Op::BvOr => "or",
            Op::Ite => {
                self.same_elements(t, &store.args(t)[1..])?;
                "ite"
            }
            Op::Eq => {
                self.same_elements(t, store.args(t))?;
                "eq"
            }
            Op::Add | Op::BvAdd => "add",
            Op::Mul | Op::BvMul => "mul",
            Op::Le if is_int(0) => "slte",
            Op::Div => return self.divide(t, args[0]).map(|(quotient, _)| quotient),
            Op::Mod => return self.divide(t, args[0]).map(|(_, rest)| rest),
            Op::Select => {
                let index = self.index(store.arg(t, 1), args[1]);
                let Kind::Array(_, bits) = self.kind(store.arg(t, 0), store.sort_of(store.arg(t, 0)))? else {
                    return Err(self.refuse(t, "a selection"));
                };
                let element = self.line(Kind::Word(bits), "read", &[args[0], index], "");
                let repr = self.integers.range(store.arg(t, 0)).map(Repr::of);
                return Ok(repr.map_or(element, |repr| self.widen(element, repr)));
            }
            Op::Store => {
                let index = self.index(store.arg(t, 1), args[1]);
                let Kind::Array(_, bits) = kind else { return Err(self.refuse(t, "a store")) };
                let value = if is_int(2) { self.slice(args[2], bits - 1, 0) } else { args[2] };
                return Ok(self.line(kind, "write", &[args[0], index, value], ""));
            }
            Op::Concat => "concat",
            Op::Extract { hi, lo } => return Ok(self.slice(args[0], hi, lo)),
            Op::Bit(n) => return Ok(self.slice(args[0], n, n)),
            Op::BvXor => "xor",
            Op::BvNeg => "neg",
            Op::BvUdiv => "udiv",
            Op::BvUrem => "urem",
            Op::BvShl => "sll",
            Op::BvLshr => "srl",
            Op::BvAshr => "sra",
            Op::SignExtend(n) => return Ok(self.extend(kind, "sext", args[0], n)),
            Op::BvUlt => "ult",
            Op::BvUle => "ulte",
            Op::BvSlt => "slt",
            Op::BvSle => "slte",
            Op::IntToBv => {
                let Kind::Word(bits) = kind else { return Err(self.refuse(t, "a conversion")) };
                let width = self.integers.width;
                return Ok(if bits <= width {
                    self.slice(args[0], bits - 1, 0)
                } else {
                    self.extend(kind, "sext", args[0], bits - width)
                });
            }
            Op::BvToNat => {
                let bits = store.bv_width(store.sort_of(store.arg(t, 0))).unwrap_or(1);
                return Ok(self.extend(kind, "uext", args[0], self.integers.width - bits));
            }
            Op::Construct(_) | Op::Field { .. } | Op::Is(_) => return Err(self.refuse(t, "a datatype")),
            Op::ConstArray => return Err(self.refuse(t, "a constant array")),
            Op::FloatConst(_) | Op::Float(_) => return Err(self.refuse(t, "a floating-point number")),
            Op::Apply(_) if args.is_empty() => return Err(self.refuse(t, "a value without a source")),
            Op::Apply(_) => return Err(self.refuse(t, "an uninterpreted function")),
            Op::Forall | Op::Exists => return Err(self.refuse(t, "a quantifier")),
            Op::Le | Op::RealDiv | Op::ToReal | Op::ToInt => return Err(self.refuse(t, "a real number")),
        };
        let mut rest = args.iter().copied();
        let first: Vec<Id> = match args.len() {
            3 if name == "ite" => return Ok(self.line(kind, name, &args, "")),
            1 => return Ok(self.line(kind, name, &args, "")),
            _ => rest.by_ref().take(1).collect(),
        };
        Ok(rest.fold(first[0], |a, b| self.line(kind, name, &[a, b], "")))
    }

    /// Quotient and remainder, rounded as SMT-LIB does: the remainder is never negative.
    fn divide(&mut self, t: Term, dividend: Id) -> Result<(Id, Id), Untranslatable> {
        let divisor = self.store.as_num(self.store.arg(t, 1)).filter(|k| !k.is_zero()).cloned();
        let Some(divisor) = divisor else { return Err(self.refuse(t, "a division by a variable")) };
        let word = Kind::Word(self.integers.width);
        let positive = self.constant(word, &divisor.abs().numer_ibig());
        let rest = self.line(word, "smod", &[dividend, positive], "");
        let multiple = self.line(word, "sub", &[dividend, rest], "");
        let divisor = self.constant(word, &Rational::numer_ibig(&divisor));
        Ok((self.line(word, "sdiv", &[multiple, divisor], ""), rest))
    }

    /// Arrays that are compared or chosen between must keep their elements alike.
    fn same_elements(&self, t: Term, arrays: &[Term]) -> Result<(), Untranslatable> {
        let repr = |a: &Term| self.integers.range(*a).map(Repr::of);
        let is_array = |a: &Term| self.store.array_sorts(self.store.sort_of(*a)).is_some();
        match arrays {
            [a, b] if is_array(a) && repr(a) != repr(b) => {
                Err(self.refuse(t, "two arrays with elements of different ranges"))
            }
            _ => Ok(()),
        }
    }

    /// An index as arrays take it.
    fn index(&mut self, t: Term, line: Id) -> Id {
        if self.store.sort_of(t) == Sort::INT {
            self.slice(line, self.integers.index.bits - 1, 0)
        } else {
            line
        }
    }

    /// The sort of a term within expressions.
    fn kind(&self, t: Term, sort: Sort) -> Result<Kind, Untranslatable> {
        let store = self.store;
        let word = |s: Sort, integer: Option<u32>| match store.sort_kind(s) {
            SortKind::Bool => Some(1),
            SortKind::Int => integer,
            SortKind::BitVec(w) => Some(*w),
            _ => None,
        };
        if let Some((index, element)) = store.array_sorts(sort) {
            let elements = self.integers.range(t).map(|r| Repr::of(r).bits);
            return match (word(index, Some(self.integers.index.bits)), word(element, elements)) {
                (Some(index), Some(element)) => Ok(Kind::Array(index, element)),
                _ => Err(self.refuse(t, "an array of such a sort")),
            };
        }
        match word(sort, Some(self.integers.width)) {
            Some(bits) => Ok(Kind::Word(bits)),
            None if sort == Sort::REAL => Err(self.refuse(t, "a real number")),
            None => Err(self.refuse(t, "a value of such a sort")),
        }
    }

    fn widen(&mut self, line: Id, repr: Repr) -> Id {
        let width = self.integers.width;
        let name = if repr.signed { "sext" } else { "uext" };
        self.extend(Kind::Word(width), name, line, width - repr.bits)
    }

    fn extend(&mut self, kind: Kind, name: &str, line: Id, by: u32) -> Id {
        let sort = self.sort(kind);
        self.last += 1;
        let _ = writeln!(self.out, "{} {name} {sort} {line} {by}", self.last);
        self.last
    }

    fn slice(&mut self, line: Id, high: u32, low: u32) -> Id {
        let sort = self.sort(Kind::Word(high - low + 1));
        self.last += 1;
        let _ = writeln!(self.out, "{} slice {sort} {line} {high} {low}", self.last);
        self.last
    }

    /// A constant in two's complement.
    fn constant(&mut self, kind: Kind, value: &IBig) -> Id {
        let Kind::Word(bits) = kind else { return 0 };
        let modulus = IBig::ONE << bits as usize;
        let mut natural = value % &modulus;
        if natural < IBig::ZERO {
            natural += &modulus;
        }
        let sort = self.sort(kind);
        self.last += 1;
        let digits = natural.in_radix(2).to_string();
        let _ = writeln!(self.out, "{} const {sort} {digits:0>width$}", self.last, width = bits as usize);
        self.last
    }

    fn sort(&mut self, kind: Kind) -> Id {
        if let Some(&id) = self.sorts.get(&kind) {
            return id;
        }
        let text = match kind {
            Kind::Word(bits) => format!("bitvec {bits}"),
            Kind::Array(index, element) => {
                let (index, element) = (self.sort(Kind::Word(index)), self.sort(Kind::Word(element)));
                format!("array {index} {element}")
            }
        };
        self.last += 1;
        let _ = writeln!(self.out, "{} sort {text}", self.last);
        self.sorts.insert(kind, self.last);
        self.last
    }

    fn line(&mut self, kind: Kind, name: &str, args: &[Id], symbol: &str) -> Id {
        let sort = self.sort(kind);
        self.last += 1;
        let _ = write!(self.out, "{} {name} {sort}", self.last);
        for a in args {
            let _ = write!(self.out, " {a}");
        }
        let _ = writeln!(self.out, "{}{symbol}", if symbol.is_empty() { "" } else { " " });
        self.last
    }

    /// A state or an input with a name that no other has.
    fn named(&mut self, kind: Kind, what: &str, name: &str) -> Id {
        let mut unique = symbol(name);
        while !self.symbols.insert(unique.clone()) {
            let _ = write!(unique, ".{}", self.symbols.len());
        }
        self.line(kind, what, &[], &unique)
    }

    /// A line without a sort.
    fn bare(&mut self, name: &str, arg: Id, symbol: &str) {
        self.last += 1;
        let space = if symbol.is_empty() { "" } else { " " };
        let _ = writeln!(self.out, "{} {name} {arg}{space}{symbol}", self.last);
    }

    fn refuse(&self, t: Term, what: &str) -> Untranslatable {
        let term = print_term(self.store, t).to_string();
        let shown = if term.chars().count() <= 60 { format!(": `{term}`") } else { String::new() };
        Untranslatable { message: format!("BTOR2 has no words for {what}{shown}"), span: self.span }
    }
}

/// The width of words that number so many things.
fn bits_for(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

/// A name as a symbol of the format: without blanks and semicolons.
fn symbol(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() || c == ';' { '_' } else { c }).collect()
}
