//! Proofs by shapes as text: words and numbers in a fixed order, one graph a line.

use super::chain::{Folding, Rule};
use super::graph::{Cell, Chain, End, Frame, Kind, Links, Object, Place, Range, State, Value, Variant};
use super::tree::Branches;
use super::{Context, Failure, Shapes};
use crate::c::hir::{BlockId, FuncId, InstrKind, Unit, VarId};
use bolide_base::Id;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

/// Chains nest no deeper than this in a proof that is read.
const DEEPEST: usize = 8;

/// Writes a proof.
pub fn write(shapes: &Shapes) -> String {
    let name = match shapes.rule.folding {
        Folding::Never => "never",
        Folding::Equal => "equal",
        Folding::Variants => "variants",
        Folding::Numbers => "numbers",
    };
    let except: String = shapes.rule.except.iter().map(|o| format!(" except {o}")).collect();
    let branches = shapes.rule.branches.as_ref().map_or(String::new(), |b| {
        let parent = b.parent.map_or(String::new(), |p| format!(" parent {p}"));
        let others: String = b.cells.iter().map(|o| format!(" {o}")).collect();
        format!(" branches {}{others}{parent}", b.size)
    });
    let mut out = format!("fold {name}{except}{branches}\n");
    let mut line = |what: &str, state: &State| {
        let mut words = Words(String::new());
        if let Some(ghost) = state.ghost {
            words.0.push_str(what);
            words.number(state.context);
            words.number(ghost);
        }
        words.state(state);
        out.push_str(words.0.trim_start());
        out.push('\n');
    };
    for context in &shapes.contexts {
        line("entry", &context.entry);
        context.exits.iter().for_each(|e| line("exit", e));
    }
    shapes.places.values().flatten().for_each(|s| line("in", s));
    out
}

/// Reads a proof about a program.
pub fn read(unit: &Unit, text: &str) -> Result<Shapes, Failure> {
    let mut lines = text.lines();
    let rule = lines.next().and_then(rule);
    let rule = rule.ok_or_else(|| Failure::new("the first line says how nodes are folded"))?;
    let mut places: BTreeMap<Place, Vec<State>> = BTreeMap::new();
    let mut contexts: Vec<Context> = Vec::new();
    for (n, line) in lines.enumerate() {
        let failure = || Failure::new(format!("line {} is not a graph", n + 2));
        let (what, rest) = match line.split_once(' ') {
            Some((what @ ("entry" | "exit" | "in"), rest)) => (what, rest),
            _ => ("", line),
        };
        let mut reader = Reader { words: rest.split(' '), unit };
        let state = reader.state(!what.is_empty()).filter(|_| reader.words.next().is_none());
        let state = state.ok_or_else(failure)?;
        match what {
            "entry" => contexts.push(Context { entry: state, exits: Vec::new() }),
            "exit" => contexts.last_mut().ok_or_else(failure)?.exits.push(state),
            _ => places.entry(state.location()).or_default().push(state),
        }
    }
    Ok(Shapes { rule, places, contexts })
}

fn rule(line: &str) -> Option<Rule> {
    let mut words = line.split(' ').peekable();
    (words.next()? == "fold").then_some(())?;
    let folding = match words.next()? {
        "never" => Folding::Never,
        "equal" => Folding::Equal,
        "variants" => Folding::Variants,
        "numbers" => Folding::Numbers,
        _ => return None,
    };
    let mut rule = Rule { folding, except: Vec::new(), branches: None };
    while words.next_if_eq(&"except").is_some() {
        rule.except.push(words.next()?.parse().ok()?);
    }
    if words.next_if_eq(&"branches").is_some() {
        let size = words.next()?.parse().ok()?;
        let mut branches = Branches { size, cells: Vec::new(), parent: None };
        while let Some(word) = words.next_if(|w| *w != "parent") {
            branches.cells.push(word.parse().ok()?);
        }
        if words.next_if_eq(&"parent").is_some() {
            branches.parent = Some(words.next()?.parse().ok()?);
        }
        rule.branches = Some(branches);
    }
    words.next().is_none().then_some(rule)
}

struct Words(String);

impl Words {
    fn number(&mut self, n: impl Into<i128>) {
        let _ = write!(self.0, " {}", n.into());
    }

    fn count(&mut self, n: usize) {
        self.number(n as i64);
    }

    fn state(&mut self, s: &State) {
        self.number(s.is_lossy);
        self.number(s.next_object);
        self.number(s.next_symbol);
        self.count(s.frames.len());
        for f in &s.frames {
            self.count(f.func.index());
            self.count(f.block.index());
            self.count(f.at);
            self.variables(&f.vars);
        }
        self.variables(&s.statics);
        self.count(s.symbols.len());
        for (id, range) in &s.symbols {
            self.number(*id);
            self.range(range);
        }
        self.count(s.objects.len());
        for (id, object) in &s.objects {
            self.number(*id);
            self.object(object);
        }
    }

    fn variables(&mut self, vars: &BTreeMap<VarId, u32>) {
        self.count(vars.len());
        for (v, id) in vars {
            self.count(v.index());
            self.number(*id);
        }
    }

    fn range(&mut self, r: &Range) {
        self.number(r.low);
        self.number(r.high);
        self.number(r.is_nonzero);
    }

    fn value(&mut self, v: Value) {
        match v {
            Value::Int(n) => {
                self.0.push_str(" i");
                self.number(n);
            }
            Value::Function(f) => {
                self.0.push_str(" f");
                self.count(f.index());
            }
            Value::Pointer(o, end, offset) => {
                self.0.push_str(if end == End::First { " p" } else { " q" });
                self.number(o);
                self.number(offset);
            }
            Value::Symbol(s) => {
                self.0.push_str(" s");
                self.number(s);
            }
        }
    }

    /// Chains nest only a few levels deep.
    fn object(&mut self, o: &Object) {
        match o.kind {
            Kind::Variable(v) => {
                self.0.push_str(" v");
                self.count(v.index());
            }
            Kind::Heap => self.0.push_str(" h"),
            Kind::Other => self.0.push_str(" o"),
        }
        self.number(o.size);
        self.number(o.is_exact);
        self.number(o.is_zero);
        self.count(o.cells.len());
        for (offset, cell) in &o.cells {
            self.number(*offset);
            self.number(cell.size);
            self.value(cell.value);
        }
        let Some(chain) = &o.chain else { return self.0.push_str(" .") };
        self.0.push_str(" c");
        for (link, is_path) in [(chain.links.next, chain.links.is_path), (chain.links.prev, false)] {
            self.number(if is_path { 2 } else { u8::from(link.is_some()) });
            let (at, to) = link.unwrap_or_default();
            self.number(at);
            self.number(to);
        }
        self.number(chain.least);
        self.value(chain.tail);
        self.value(chain.head);
        self.count(chain.variants.len());
        for variant in &chain.variants {
            self.count(variant.symbols.len());
            variant.symbols.iter().for_each(|r| self.range(r));
            self.count(variant.objects.len());
            variant.objects.iter().for_each(|o| self.object(o));
        }
    }
}

struct Reader<'a> {
    words: std::str::Split<'a, char>,
    unit: &'a Unit,
}

impl Reader<'_> {
    fn number<T: TryFrom<i128>>(&mut self) -> Option<T> {
        // Numbers of programs have at most 64 bits and a sign; so sums of a few do not overflow.
        let n: i128 = self.words.next()?.parse().ok()?;
        (n.unsigned_abs() <= 1 << 66).then_some(())?;
        T::try_from(n).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        match self.number::<u8>()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn variable(&mut self) -> Option<VarId> {
        let n: usize = self.number()?;
        (n < self.unit.vars.len()).then(|| VarId::from_index(n))
    }

    fn variables(&mut self) -> Option<BTreeMap<VarId, u32>> {
        let count: usize = self.number()?;
        let mut out = BTreeMap::new();
        for _ in 0..count {
            out.insert(self.variable()?, self.number()?);
        }
        Some(out)
    }

    fn state(&mut self, has_context: bool) -> Option<State> {
        let (context, ghost) = match has_context {
            true => (self.number()?, Some(self.number()?)),
            false => (0, None),
        };
        let (is_lossy, next_object, next_symbol) = (self.flag()?, self.number()?, self.number()?);
        let count: usize = self.number()?;
        let mut frames = Vec::new();
        for _ in 0..count {
            let func: usize = self.number()?;
            let func = (func < self.unit.funcs.len()).then(|| FuncId::from_index(func))?;
            let block: usize = self.number()?;
            let blocks = &self.unit.funcs[func].blocks;
            let block = (block < blocks.len()).then(|| BlockId::from_index(block))?;
            let at: usize = self.number()?;
            (at <= blocks[block].instrs.len()).then_some(())?;
            // All but the last one wait for a call to return.
            let is_call = |n: usize| matches!(blocks[block].instrs[n].kind, InstrKind::Call(..));
            (frames.len() + 1 == count || at.checked_sub(1).is_some_and(is_call)).then_some(())?;
            frames.push(Frame { func, block, at, vars: self.variables()? });
        }
        let statics = self.variables()?;
        let count: usize = self.number()?;
        let mut symbols = BTreeMap::new();
        for _ in 0..count {
            symbols.insert(self.number()?, self.range()?);
        }
        let count: usize = self.number()?;
        let mut objects = BTreeMap::new();
        for _ in 0..count {
            objects.insert(self.number()?, Rc::new(self.object(0)?));
        }
        let word = self.unit.types.pointer_size() as u32;
        Some(State {
            frames,
            statics,
            context,
            ghost,
            objects,
            symbols,
            is_lossy,
            next_object,
            next_symbol,
            word,
            splits: true,
            choices: Vec::new(),
        })
    }

    fn range(&mut self) -> Option<Range> {
        Some(Range { low: self.number()?, high: self.number()?, is_nonzero: self.flag()? })
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.words.next()? {
            "i" => Value::Int(self.number()?),
            "f" => {
                let f: usize = self.number()?;
                Value::Function((f < self.unit.funcs.len()).then(|| FuncId::from_index(f))?)
            }
            "p" => Value::Pointer(self.number()?, End::First, self.number()?),
            "q" => Value::Pointer(self.number()?, End::Last, self.number()?),
            "s" => Value::Symbol(self.number()?),
            _ => return None,
        })
    }

    fn object(&mut self, depth: usize) -> Option<Object> {
        (depth <= DEEPEST).then_some(())?;
        let kind = match self.words.next()? {
            "v" => Kind::Variable(self.variable()?),
            "h" => Kind::Heap,
            "o" => Kind::Other,
            _ => return None,
        };
        let (size, is_exact, is_zero) = (self.number()?, self.flag()?, self.flag()?);
        let count: usize = self.number()?;
        let mut cells = BTreeMap::new();
        for _ in 0..count {
            cells.insert(self.number()?, Cell { size: self.number()?, value: self.value()? });
        }
        let chain = match self.words.next()? {
            "." => None,
            "c" => Some(Box::new(self.chain(depth)?)),
            _ => return None,
        };
        Some(Object { kind, size, is_exact, is_zero, cells, chain })
    }

    fn chain(&mut self, depth: usize) -> Option<Chain> {
        let (how, next) = (self.number::<u8>()?, (self.number()?, self.number()?));
        (how <= 2).then_some(())?;
        let (has_prev, prev) = (self.flag()?, (self.number()?, self.number()?));
        let links =
            Links { next: (how == 1).then_some(next), prev: has_prev.then_some(prev), is_path: how == 2 };
        let (least, tail, head) = (self.number()?, self.value()?, self.value()?);
        let count: usize = self.number()?;
        let mut variants = Vec::new();
        for _ in 0..count {
            let count: usize = self.number()?;
            let mut symbols = Vec::new();
            for _ in 0..count {
                symbols.push(self.range()?);
            }
            let count: usize = self.number()?;
            let mut objects = Vec::new();
            for _ in 0..count {
                objects.push(self.object(depth + 1)?);
            }
            variants.push(Variant { objects, symbols });
        }
        Some(Chain { links, least, variants, tail, head })
    }
}
