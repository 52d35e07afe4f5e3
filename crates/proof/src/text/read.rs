//! Reading. Nothing is trusted: every reference and every sort is checked.

use super::PLAIN;
use crate::lemma::EqualityPremise;
use crate::{Axiom, Lemma, Literal, Refutation, Rule, StepId};
use bolide_base::{Budget, Interrupt, Rational};
use bolide_term::{FloatFormat, FloatOp, Func, Op, Sort, SortKind, Store, Term, UBig};
use rustc_hash::FxHashMap;
use std::fmt;
use std::str::{FromStr, SplitWhitespace};

/// Bit-vectors wider than this are refused.
const MAX_WIDTH: u32 = 1 << 20;
/// Numbers with more digits than this are refused.
const MAX_DIGITS: usize = 100_000;

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub flaw: Flaw,
}

/// Why a text is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is not a proof.
    Malformed(String),
    /// Nothing may be wrong with it: the budget ran out.
    Interrupted(Interrupt),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Malformed(what) => f.write_str(what),
            Flaw::Interrupted(interrupt) => interrupt.fmt(f),
        }
    }
}

impl From<&str> for Flaw {
    fn from(what: &str) -> Flaw {
        Flaw::Malformed(what.into())
    }
}

impl From<String> for Flaw {
    fn from(what: String) -> Flaw {
        Flaw::Malformed(what)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.flaw)
    }
}

impl std::error::Error for ReadError {}

/// Reads refutations; their terms become terms of the store.
pub fn read(store: &mut Store, text: &str) -> Result<Vec<Refutation>, ReadError> {
    read_within(store, text, &Budget::unlimited())
}

/// The same within limits.
pub fn read_within(store: &mut Store, text: &str, budget: &Budget) -> Result<Vec<Refutation>, ReadError> {
    let mut reader = Reader {
        store,
        sorts: Vec::new(),
        funcs: Vec::new(),
        terms: Vec::new(),
        words: PLAIN.iter().copied().collect(),
        refutations: Vec::new(),
    };
    for (n, line) in text.lines().enumerate() {
        let within = budget.poll().map_err(Flaw::Interrupted);
        within.and_then(|()| reader.line(line)).map_err(|flaw| ReadError { line: n + 1, flaw })?;
    }
    Ok(reader.refutations)
}

/// The axiom that a word stands for.
pub(super) fn axiom(word: &str, t: Term) -> Option<Axiom> {
    Some(match word {
        "gate" => Axiom::Gate(t),
        "choice" => Axiom::Choice(t),
        "rounding" => Axiom::Rounding(t),
        "bitblast" => Axiom::BitBlast(t),
        "wordequality" => Axiom::WordEquality(t),
        "wordvalue" => Axiom::WordValue(t),
        "readoverwrite" => Axiom::ReadOverWrite(t),
        "readconstant" => Axiom::ReadConstant(t),
        "extensionality" => Axiom::Extensionality(t),
        "arraydefault" => Axiom::ArrayDefault(t),
        "expansion" => Axiom::Expansion(t),
        "product" => Axiom::Product(t),
        "division" => Axiom::Division(t),
        "residue" => Axiom::Residue(t),
        "membership" => Axiom::Membership(t),
        "constructor" => Axiom::Constructor(t),
        "cases" => Axiom::Cases(t),
        "destructor" => Axiom::Destructor(t),
        "acyclic" => Axiom::Acyclic(t),
        "canonicalnan" => Axiom::CanonicalNan(t),
        _ => return None,
    })
}

struct Reader<'a> {
    store: &'a mut Store,
    sorts: Vec<Sort>,
    funcs: Vec<Func>,
    terms: Vec<Term>,
    words: FxHashMap<&'static str, Op>,
    refutations: Vec<Refutation>,
}

type Words<'a> = SplitWhitespace<'a>;

fn next<'a>(words: &mut Words<'a>) -> Result<&'a str, Flaw> {
    words.next().ok_or_else(|| "the line ends too early".into())
}

fn number<T: FromStr>(word: &str) -> Result<T, Flaw> {
    word.parse().map_err(|_| format!("`{}` is not a number that fits here", shorten(word)).into())
}

fn rational(word: &str) -> Result<Rational, Flaw> {
    if word.len() > MAX_DIGITS {
        return Err("the number is too long".into());
    }
    let zero = word.split_once('/').is_some_and(|(_, d)| d.trim_start_matches('0').is_empty());
    let digits = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (numerator, denominator) = unsigned.split_once('/').unwrap_or((unsigned, "1"));
    if zero || !digits(numerator) || !digits(denominator) {
        return Err(format!("`{}` is not a rational number", shorten(word)).into());
    }
    word.parse().map_err(|_| format!("`{}` is not a rational number", shorten(word)).into())
}

fn shorten(word: &str) -> String {
    word.chars().take(40).collect()
}

fn expect(condition: bool, otherwise: &str) -> Result<(), Flaw> {
    if condition { Ok(()) } else { Err(otherwise.into()) }
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Result<(), Flaw> {
        let mut words = line.split_whitespace();
        let Some(kind) = words.next() else { return Ok(()) };
        match kind {
            "s" => self.sort(&mut words),
            "f" => self.func(&mut words),
            "t" => self.term(&mut words),
            "a" => {
                let t = self.id(next(&mut words)?)?;
                expect(self.store.sort_of(t) == Sort::BOOL, "an assertion is not a formula")?;
                self.refutation()?.assertions.push(t);
                Ok(())
            }
            "refutation" => {
                self.refutations.push(Refutation::default());
                Ok(())
            }
            rule => self.step(rule, &mut words),
        }
    }

    /// The refutation that is being read.
    fn refutation(&mut self) -> Result<&mut Refutation, Flaw> {
        self.refutations.last_mut().ok_or_else(|| "no refutation has begun".into())
    }

    fn id(&self, word: &str) -> Result<Term, Flaw> {
        self.terms
            .get(number::<usize>(word)?)
            .copied()
            .ok_or_else(|| format!("there is no term {word}").into())
    }

    fn sort_id(&self, word: &str) -> Result<Sort, Flaw> {
        self.sorts
            .get(number::<usize>(word)?)
            .copied()
            .ok_or_else(|| format!("there is no sort {word}").into())
    }

    fn sort(&mut self, words: &mut Words) -> Result<(), Flaw> {
        let kind = match next(words)? {
            "bool" => SortKind::Bool,
            "int" => SortKind::Int,
            "real" => SortKind::Real,
            "bv" => {
                let width: u32 = number(next(words)?)?;
                expect((1..=MAX_WIDTH).contains(&width), "no such width")?;
                SortKind::BitVec(width)
            }
            "float" => {
                let format =
                    FloatFormat { exponent: number(next(words)?)?, significand: number(next(words)?)? };
                let fits = (2..=FloatFormat::MAX_EXPONENT).contains(&format.exponent)
                    && (2..=FloatFormat::MAX_SIGNIFICAND).contains(&format.significand);
                expect(fits, "no such format")?;
                SortKind::Float(format)
            }
            "rounding" => {
                let sort = self.store.rounding_mode_sort();
                self.store.sort_kind(sort).clone()
            }
            "array" => {
                let (i, e) = (self.sort_id(next(words)?)?, self.sort_id(next(words)?)?);
                SortKind::Array(i, e)
            }
            "free" => SortKind::Uninterpreted(unescape(next(words)?)?.into()),
            "data" => {
                // The task that the proof is about declares it.
                let kind = SortKind::Datatype(number(next(words)?)?);
                let name = unescape(next(words)?)?;
                let known =
                    self.store.datatype_sorts().into_iter().find(|&s| *self.store.sort_kind(s) == kind);
                let datatype = known.and_then(|s| self.store.datatype(s));
                expect(datatype.is_some_and(|d| *d.name == *name), "a datatype that is not declared")?;
                kind
            }
            other => return Err(format!("`{}` is not a sort", shorten(other)).into()),
        };
        let sort = self.store.sort(kind);
        self.sorts.push(sort);
        Ok(())
    }

    fn func(&mut self, words: &mut Words) -> Result<(), Flaw> {
        let name = unescape(next(words)?)?;
        let sorts: Result<Vec<Sort>, Flaw> = words.map(|w| self.sort_id(w)).collect();
        let sorts = sorts?;
        let Some((&result, args)) = sorts.split_last() else { return Err("a symbol needs a sort".into()) };
        let func = self.store.func(&name, args, result);
        self.funcs.push(func);
        Ok(())
    }

    fn term(&mut self, words: &mut Words) -> Result<(), Flaw> {
        let head = next(words)?;
        let t = match head {
            "num" => {
                let value = rational(next(words)?)?;
                let sort = self.sort_id(next(words)?)?;
                expect(sort.is_arith(), "a number of another sort")?;
                expect(sort == Sort::REAL || value.is_integer(), "an integer that is none")?;
                self.store.num(value, sort)
            }
            "bv" => {
                let width: u32 = number(next(words)?)?;
                expect((1..=MAX_WIDTH).contains(&width), "no such width")?;
                let digits = next(words)?;
                expect(digits.len() <= MAX_DIGITS, "the number is too long")?;
                let value: UBig = number(digits)?;
                self.store.bv_const(width, value)
            }
            "float" => {
                let sort = self.sort_id(next(words)?)?;
                let format = self.store.float_format(sort).ok_or("not a floating-point sort")?;
                let digits = next(words)?;
                expect(digits.len() <= MAX_DIGITS, "the number is too long")?;
                let value: UBig = number(digits)?;
                expect(value < UBig::ONE << format.width() as usize, "too many bits")?;
                self.store.float_const(format, value)
            }
            "fp" => {
                let op = super::float_operator(next(words)?).ok_or("no such operator")?;
                let sort = self.sort_id(next(words)?)?;
                let args = self.rest(words)?;
                self.float(op, sort, &args)?
            }
            "const" => {
                let sort = self.sort_id(next(words)?)?;
                let a = self.id(next(words)?)?;
                let (_, element) = self.store.array_sorts(sort).ok_or("not the sort of an array")?;
                expect(element == self.store.sort_of(a), "an element of another sort")?;
                self.store.const_array(sort, a)
            }
            "extract" => {
                let (hi, lo): (u32, u32) = (number(next(words)?)?, number(next(words)?)?);
                let (a, width) = self.word(next(words)?)?;
                expect(lo <= hi && hi < width, "bits that are not there")?;
                let sort = self.store.bv_sort(hi - lo + 1);
                self.store.as_written(Op::Extract { hi, lo }, sort, &[a])
            }
            "sext" => {
                let n: u32 = number(next(words)?)?;
                let (a, width) = self.word(next(words)?)?;
                expect(n <= MAX_WIDTH - width.min(MAX_WIDTH), "no such width")?;
                let sort = self.store.bv_sort(width + n);
                self.store.as_written(Op::SignExtend(n), sort, &[a])
            }
            "bit" => {
                let i: u32 = number(next(words)?)?;
                let (a, width) = self.word(next(words)?)?;
                expect(i < width, "a bit that is not there")?;
                self.store.as_written(Op::Bit(i), Sort::BOOL, &[a])
            }
            "construct" => {
                let sort = self.sort_id(next(words)?)?;
                let constructor: u32 = number(next(words)?)?;
                let args = self.rest(words)?;
                let datatype = self.store.datatype(sort).ok_or("not a datatype")?;
                let c = datatype.constructors.get(constructor as usize).ok_or("no such constructor")?;
                let fits = c.fields.len() == args.len()
                    && c.fields.iter().zip(&args).all(|(f, &a)| self.store.sort_of(a) == f.sort);
                expect(fits, "arguments of other sorts")?;
                self.store.raw_construct(sort, constructor, &args)
            }
            "field" => {
                let (constructor, field): (u32, u32) = (number(next(words)?)?, number(next(words)?)?);
                let a = self.id(next(words)?)?;
                let datatype = self.store.datatype(self.store.sort_of(a)).ok_or("not of a datatype")?;
                let c = datatype.constructors.get(constructor as usize).ok_or("no such constructor")?;
                expect((field as usize) < c.fields.len(), "no such field")?;
                self.store.raw_field(constructor, field, a)
            }
            "is" => {
                let constructor: u32 = number(next(words)?)?;
                let a = self.id(next(words)?)?;
                let datatype = self.store.datatype(self.store.sort_of(a)).ok_or("not of a datatype")?;
                expect((constructor as usize) < datatype.constructors.len(), "no such constructor")?;
                self.store.raw_is_constructor(constructor, a)
            }
            "int2bv" => {
                let width: u32 = number(next(words)?)?;
                expect((1..=MAX_WIDTH).contains(&width), "no such width")?;
                let a = self.id(next(words)?)?;
                expect(self.store.sort_of(a) == Sort::INT, "not an integer")?;
                let sort = self.store.bv_sort(width);
                self.store.as_written(Op::IntToBv, sort, &[a])
            }
            "app" => {
                let n: usize = number(next(words)?)?;
                let func = *self.funcs.get(n).ok_or_else(|| format!("there is no symbol {n}"))?;
                let args = self.rest(words)?;
                let wanted = self.store.decl(func).args.to_vec();
                let fits = wanted.len() == args.len()
                    && wanted.iter().zip(&args).all(|(&s, &a)| self.store.sort_of(a) == s);
                expect(fits, "arguments of other sorts")?;
                self.store.apply(func, &args)
            }
            word => {
                let op =
                    *self.words.get(word).ok_or_else(|| format!("`{}` is not an operator", shorten(word)))?;
                let args = self.rest(words)?;
                self.plain(op, &args)?
            }
        };
        self.terms.push(t);
        Ok(())
    }

    /// The application of a floating-point operator, if sorts and number of the arguments are right.
    fn float(&mut self, op: FloatOp, sort: Sort, args: &[Term]) -> Result<Term, Flaw> {
        let store = &mut *self.store;
        let mode = store.rounding_mode_sort();
        let first = usize::from(op.rounds());
        let of = |i: usize| args.get(first + i).map(|&a| store.sort_of(a));
        let (float, word) = (
            |s: Option<Sort>| s.is_some_and(|s| store.float_format(s).is_some()),
            |s: Option<Sort>| s.is_some_and(|s| store.bv_width(s).is_some()),
        );
        let width = |s: Option<Sort>| s.and_then(|s| store.bits_of_sort(s));
        let numbers = |n: usize| args.len() == first + n && float(of(0)) && (1..n).all(|i| of(i) == of(0));
        let result = Some(sort);
        let fits = match op {
            FloatOp::Bits => numbers(1) && word(result) && width(result) == width(of(0)),
            FloatOp::FromBits => {
                args.len() == 1 && word(of(0)) && float(result) && width(result) == width(of(0))
            }
            FloatOp::Add | FloatOp::Mul | FloatOp::Div | FloatOp::Rem => numbers(2) && result == of(0),
            FloatOp::Fma => numbers(3) && result == of(0),
            FloatOp::Sqrt | FloatOp::RoundToIntegral => numbers(1) && result == of(0),
            FloatOp::ToFloat => numbers(1) && float(result),
            FloatOp::FromUnsigned | FloatOp::FromSigned => args.len() == 2 && word(of(0)) && float(result),
            FloatOp::ToUnsigned | FloatOp::ToSigned => numbers(1) && word(result),
            FloatOp::Lt | FloatOp::Le => numbers(2) && sort == Sort::BOOL,
        };
        let rounds = first == 0 || args.first().is_some_and(|&m| store.sort_of(m) == mode);
        expect(fits && rounds, "the operator has other arguments")?;
        Ok(store.as_written(Op::Float(op), sort, args))
    }

    fn rest(&self, words: &mut Words) -> Result<Vec<Term>, Flaw> {
        words.map(|w| self.id(w)).collect()
    }

    fn word(&self, id: &str) -> Result<(Term, u32), Flaw> {
        let a = self.id(id)?;
        let width = self.store.bv_width(self.store.sort_of(a)).ok_or("not a bit-vector")?;
        Ok((a, width))
    }

    /// The application of an operator, if sorts and number of the arguments are right.
    fn plain(&mut self, op: Op, args: &[Term]) -> Result<Term, Flaw> {
        let store = &mut *self.store;
        let sort = |n: usize| args.get(n).map(|&a| store.sort_of(a));
        let same = || args.iter().all(|&a| Some(store.sort_of(a)) == sort(0));
        let fits = match op {
            Op::True | Op::False => args.is_empty(),
            Op::Not => args.len() == 1 && sort(0) == Some(Sort::BOOL),
            Op::And | Op::Or => args.len() >= 2 && same() && sort(0) == Some(Sort::BOOL),
            Op::Ite => args.len() == 3 && sort(0) == Some(Sort::BOOL) && sort(1) == sort(2),
            Op::Eq => args.len() == 2 && same(),
            Op::Add | Op::Mul => args.len() >= 2 && same() && sort(0).is_some_and(|s| s.is_arith()),
            Op::Le => args.len() == 2 && same() && sort(0).is_some_and(|s| s.is_arith()),
            Op::Div | Op::Mod => args.len() == 2 && same() && sort(0) == Some(Sort::INT),
            Op::RealDiv => args.len() == 2 && same() && sort(0) == Some(Sort::REAL),
            Op::ToReal => args.len() == 1 && sort(0) == Some(Sort::INT),
            Op::ToInt => args.len() == 1 && sort(0) == Some(Sort::REAL),
            Op::Select | Op::Store => {
                let array = sort(0).and_then(|s| store.array_sorts(s));
                match (array, op) {
                    (Some((i, _)), Op::Select) => args.len() == 2 && sort(1) == Some(i),
                    (Some((i, e)), _) => args.len() == 3 && sort(1) == Some(i) && sort(2) == Some(e),
                    (None, _) => false,
                }
            }
            Op::BvNot | Op::BvNeg | Op::BvToNat => {
                args.len() == 1 && sort(0).is_some_and(|s| store.bv_width(s).is_some())
            }
            Op::Concat => {
                let width = |n| sort(n).and_then(|s| store.bv_width(s));
                let fits = |(a, b): (u32, u32)| u64::from(a) + u64::from(b) <= u64::from(MAX_WIDTH);
                args.len() == 2 && width(0).zip(width(1)).is_some_and(fits)
            }
            _ => args.len() == 2 && same() && sort(0).is_some_and(|s| store.bv_width(s).is_some()),
        };
        expect(fits, "the operator has other arguments")?;
        // A term that is there as it was written may have been made before its parts had their normal forms.
        let known = match op {
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Le => Some(Sort::BOOL),
            Op::Add | Op::Mul | Op::Div | Op::Mod => sort(0),
            _ => None,
        };
        if let Some(known) = known.and_then(|sort| store.existing(op, sort, args)) {
            return Ok(known);
        }
        // Only numbers have normal forms that the checks rely upon. What else was written is taken as it is: constructors that
        // simplify are not idempotent.
        let result = match op {
            Op::Ite => sort(1),
            Op::Select => sort(0).and_then(|s| store.array_sorts(s)).map(|(_, element)| element),
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => Some(Sort::BOOL),
            Op::BvToNat => Some(Sort::INT),
            Op::Concat => {
                let width = |n: usize| sort(n).and_then(|s| store.bv_width(s));
                let together = width(0).zip(width(1)).map(|(a, b)| a + b);
                together.map(|width| store.bv_sort(width))
            }
            // Writes, and operators on words of one width.
            _ => sort(0),
        };
        Ok(match op {
            Op::True => store.tru(),
            Op::False => store.fls(),
            Op::Not => store.not(args[0]),
            // What was written nested was nested for a reason.
            Op::And => store.nested_and(args),
            Op::Or => store.nested_or(args),
            // Solvers make equalities that `eq` would simplify further.
            Op::Eq if store.sort_of(args[0]).is_arith() => store.arith_eq(args[0], args[1]),
            Op::Eq => store.as_written(op, Sort::BOOL, &[args[0].min(args[1]), args[0].max(args[1])]),
            Op::Add => store.add(args),
            Op::Mul => store.mul(args),
            Op::Le => store.le(args[0], args[1]),
            Op::Div => store.div(args[0], args[1]),
            Op::Mod => store.modulo(args[0], args[1]),
            Op::RealDiv => store.real_div(args[0], args[1]),
            Op::ToReal => store.to_real(args[0]),
            Op::ToInt => store.to_int(args[0]),
            _ => store.as_written(op, result.ok_or("the operator is not a plain one")?, args),
        })
    }

    /// The literal of a number; the term that it stands for may itself be a negation in this store.
    fn literal(&self, word: &str) -> Result<Literal, Flaw> {
        let n: i64 = number(word)?;
        let index = usize::try_from(n.unsigned_abs()).ok().and_then(|n| n.checked_sub(1));
        let t =
            *index.and_then(|n| self.terms.get(n)).ok_or_else(|| format!("there is no literal {word}"))?;
        expect(self.store.sort_of(t) == Sort::BOOL, "a literal is not a formula")?;
        let literal = Literal::of(self.store, t);
        Ok(if n > 0 { literal } else { !literal })
    }

    fn step_id(&self, word: &str) -> Result<StepId, Flaw> {
        let n: usize = number(word)?;
        let known = self.refutations.last().map_or(0, |r| r.steps.len());
        expect(n < known, "a step refers to a later one")?;
        Ok(StepId::new(n))
    }

    fn step(&mut self, rule: &str, words: &mut Words) -> Result<(), Flaw> {
        let before: Vec<&str> = words.take_while(|w| *w != ":").collect();
        let clause: Result<Vec<Literal>, Flaw> = words.map(|w| self.literal(w)).collect();
        let clause = clause?;
        let first = || before.first().copied().ok_or(Flaw::from("the line ends too early"));
        let rule = match rule {
            "A" => Rule::Assertion(number(first()?)?),
            "X" => {
                let t = self.id(before.get(1).ok_or("the line ends too early")?)?;
                Rule::Axiom(axiom(first()?, t).ok_or("there is no such axiom")?)
            }
            "R" => {
                let start = self.step_id(first()?)?;
                expect(before.len() % 2 == 1, "a pivot without a step")?;
                let link = |pair: &[&str]| Ok((self.literal(pair[0])?, self.step_id(pair[1])?));
                let chain: Result<Box<[_]>, Flaw> = before[1..].chunks(2).map(link).collect();
                Rule::Resolution { start, chain: chain? }
            }
            other => Rule::Theory(self.lemma(other, &before, clause.len())?),
        };
        self.refutation()?.push(clause, rule);
        Ok(())
    }

    fn lemma(&self, rule: &str, words: &[&str], clause: usize) -> Result<Lemma, Flaw> {
        let coeffs = |words: &[&str]| words.iter().map(|w| rational(w)).collect::<Result<Vec<_>, _>>();
        Ok(match (rule, words) {
            ("F", words) => Lemma::Farkas(coeffs(words)?),
            ("B", [equality, rest @ ..]) => {
                expect(rest.len() == 2 * clause, "two coefficients per literal are needed")?;
                let (upper, lower) = rest.split_at(clause);
                Lemma::TightBounds {
                    equality: number(equality)?,
                    upper: coeffs(upper)?,
                    lower: coeffs(lower)?,
                }
            }
            ("D", [modulus, rest @ ..]) => {
                expect(rest.len().is_multiple_of(3), "a premise is three words")?;
                let premise = |p: &[&str]| {
                    let second = if p[1] == "-" { None } else { Some(number(p[1])?) };
                    Ok(EqualityPremise { first: number(p[0])?, second, coeff: rational(p[2])? })
                };
                let premises: Result<Vec<_>, Flaw> = rest.chunks(3).map(premise).collect();
                Lemma::Divisibility { premises: premises?, modulus: rational(modulus)? }
            }
            ("T", words) => {
                let path: Result<Vec<Term>, Flaw> = words.iter().map(|w| self.id(w)).collect();
                Lemma::Transitivity(path?)
            }
            ("G", [f, g]) => Lemma::Congruence(self.id(f)?, self.id(g)?),
            _ => return Err(format!("`{}` is not a rule", shorten(rule)).into()),
        })
    }
}

/// The name behind what [`super::write`] made of it.
fn unescape(word: &str) -> Result<String, Flaw> {
    let escaped = word.strip_prefix('=').ok_or("a name starts with `=`")?;
    let mut out = String::new();
    let mut chars = escaped.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let code: String = chars.by_ref().take(2).collect();
        let code = u8::from_str_radix(&code, 16).map_err(|_| "a broken escape in a name")?;
        out.push(char::from(code));
    }
    Ok(out)
}
