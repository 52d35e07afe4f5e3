//! From the typed program to a [`Program`] of steps.

mod anything;
mod bits;
mod bounds;
mod cells;
mod curves;
mod exact;
mod floats;
mod flow;
mod ghosts;
mod guards;
mod ieee;
mod marks;
mod stretch;
mod values;

use super::float::Format;
use super::hir::{Disguises, FuncId, Unit, VarId};
use super::layout::{Home, Layout};
use super::memory::{CompId, Partition, check, infer};
use super::syntax::source::Issue;
use super::{Floats, Ints, Options};
use bolide_base::Rational;
use bolide_model::{
    Approximation, Assumption, Bias, Input, InputId, LocId, ProcId, Procedure, Program, Span, VarId as Var,
    VarKind,
};
use bolide_term::{Sort, Store, Term};
use ieee::Numbers;
use rustc_hash::{FxHashMap, FxHashSet};

/// How typed objects became variables of the program.
#[derive(Debug, Default)]
pub struct Encoding {
    /// The scalars and bytes of objects whose address nobody takes: object, offset, bytes, variable.
    pub cells: Vec<(VarId, i64, u32, Var)>,
    /// The indexed parts of such objects, as arrays: object and variable.
    pub arrays: Vec<(VarId, Var)>,
    /// The arrays that stand for memory, indexed by address, with the bytes of their cells.
    pub memory: Vec<(Var, u32)>,
    /// Inputs that are a part of an object without initialiser: the input of the object, offset and bytes. For an
    /// array, the bytes of each element.
    pub parts: FxHashMap<InputId, (InputId, u64, u32)>,
    /// The inputs that are floating values, or parts of objects that are.
    pub floats: FxHashMap<InputId, Format>,
    /// The arrays of floating values that stand for memory.
    pub float_memory: FxHashMap<Var, Format>,
    /// The number that stands for NaN; greater ones do not occur.
    pub nan: Rational,
    /// The procedures of the functions that can be called.
    pub procs: Vec<(FuncId, ProcId)>,
}

/// The state of the encoder.
struct Encoder<'a> {
    store: &'a mut Store,
    unit: &'a Unit,
    memory: &'a Partition,
    layout: &'a Layout,
    /// The types of functions through which each function may be called.
    disguises: Disguises,
    ints: Ints,
    program: Program,
    procs: FxHashMap<FuncId, ProcId>,
    /// Variables for cells of objects that have no address.
    cells: FxHashMap<(VarId, CompId, i64), Var>,
    /// Arrays for indexed parts of such objects.
    arrays: FxHashMap<(VarId, CompId), Var>,
    /// Arrays for memory.
    heaps: FxHashMap<CompId, Var>,
    /// The location of each procedure from which anything may happen.
    chaos: FxHashMap<ProcId, LocId>,
    /// Addresses of locals that get a new one for each activation.
    addresses: FxHashMap<VarId, Var>,
    /// The end of the heap.
    brk: Var,
    /// The numbers that stand for floating values.
    numbers: Numbers,
    /// What exact floating values are made with; none if they are real numbers.
    exact: Option<exact::Exact>,
    /// The floating constants that the program compares with; none if it has no floating values.
    marks: Option<Vec<f64>>,
    encoding: Encoding,
    approximations: Vec<Approximation>,
    ghosts: ghosts::Ghosts,
    /// The variables that tell which cells of others have been written.
    marks_of_cells: FxHashMap<Var, Var>,
    /// Where anything that functions may do happens.
    anything: Vec<anything::Anything>,
}

/// Addresses for pointers that come from outside: beyond the objects of most programs, and such that what they point to
/// ends within the address space.
const FOREIGN: (i128, i128) = (1 << 28, (1 << 31) - 1);

/// The name of a procedure that sets up the initial state and calls the entry function.
const START: &str = "start of the program";

/// Encodes a program.
pub(super) fn encode(
    store: &mut Store,
    unit: &Unit,
    options: &Options,
) -> Result<(Program, Encoding), Issue> {
    let memory = infer(unit);
    check(unit, &memory)?;
    let layout = Layout::new(unit, &memory);
    if let Some((_, issue)) = unit.refused.iter().find(|(f, _)| layout.reachable.contains(f)) {
        return Err(issue.clone());
    }
    if let Some(v) = layout.misaligned(unit) {
        let message =
            format!("unsupported: the alignment of '{}', which has no fixed address", unit.vars[v].name);
        return Err(Issue { span: unit.vars[v].span, message });
    }
    let name = if layout.calls_entry { START } else { &*unit.funcs[unit.entry].name };
    let mut program = Program::new(name);
    let mut encoding = Encoding::default();
    let exact = (options.floats == Floats::Exact).then(|| exact::Exact::new(store));
    for (id, site) in unit.inputs.iter_enumerated() {
        let format = unit.types.format(site.ty);
        encoding.floats.extend(format.map(|f| (id, f)));
        let sort = match (format, &exact) {
            (Some(format), Some(exact)) => exact.sort(format),
            (Some(_), None) => Sort::REAL,
            (None, _) => Sort::INT,
        };
        let range = unit.types.representation(site.ty).map(|i| i.range());
        let range = range.filter(|_| options.ints == Ints::Machine && format.is_none());
        let preferred = unit.types.pointee(site.ty).map(|_| FOREIGN).filter(|f| layout.heap < f.0);
        let name = site.name.clone();
        program.inputs.push(Input { name, sort, range, preferred, span: site.span });
    }
    program.properties = unit.properties.clone();
    program.assumptions = assumptions(unit, &layout);
    if options.ints == Ints::Unbounded {
        let text = "integers are mathematical: nothing overflows or wraps".into();
        program.assumptions.push(Assumption { text, span: Span::default() });
    }
    let brk = program.variable(store, "heap end", Sort::INT, VarKind::Global, None);
    let numbers = Numbers::new(unit);
    encoding.nan = numbers.nan.clone();
    let mut encoder = Encoder {
        store,
        unit,
        memory: &memory,
        layout: &layout,
        disguises: unit.disguises(),
        ints: options.ints,
        program,
        procs: FxHashMap::default(),
        cells: FxHashMap::default(),
        arrays: FxHashMap::default(),
        heaps: FxHashMap::default(),
        chaos: FxHashMap::default(),
        addresses: FxHashMap::default(),
        brk,
        numbers,
        marks: if exact.is_some() { None } else { curves::marks(unit) },
        exact,
        encoding,
        approximations: Vec::new(),
        ghosts: ghosts::Ghosts::default(),
        marks_of_cells: FxHashMap::default(),
        anything: Vec::new(),
    };
    encoder.procedures();
    encoder.prepare_ghosts();
    for &f in &layout.reachable {
        encoder.function(f)?;
    }
    encoder.let_anything_happen();
    let symbols = encoder.program.var_of_symbol(encoder.store);
    for &f in &layout.reachable {
        encoder.assign_before_reading(f, &symbols);
    }
    encoder.initial_state();
    if !encoder.heaps.is_empty() {
        let text = if options.properties.deref && options.properties.alignment {
            "objects start at multiples of 16, and pointer arithmetic does not leave the address space"
        } else if options.properties.deref {
            "accesses through pointers are aligned, and pointer arithmetic does not leave the address space"
        } else {
            "accesses through pointers are aligned and stay in the objects that the points-to analysis allows, \
             and pointer arithmetic does not leave the address space"
        };
        encoder.program.assumptions.push(Assumption { text: text.into(), span: Span::default() });
    }
    Ok((encoder.program, encoder.encoding))
}

/// What is taken for granted in functions that can be called, each thing once.
fn assumptions(unit: &Unit, layout: &Layout) -> Vec<Assumption> {
    let reachable: FxHashSet<FuncId> = layout.reachable.iter().copied().collect();
    let mut said = FxHashSet::default();
    let relevant = unit.assumptions.iter().filter(|(f, _)| f.is_none_or(|f| reachable.contains(&f)));
    relevant.map(|(_, a)| a).filter(|a| said.insert(a.text.as_str())).cloned().collect()
}

impl Encoder<'_> {
    /// Is the procedure of this function the one where execution starts, with the edge that sets up the initial state?
    /// If the entry function is called once more, that does not set up the state again: then it has a procedure like any other.
    fn is_start(&self, f: FuncId) -> bool {
        f == self.unit.entry && !self.layout.calls_entry
    }

    fn procedures(&mut self) {
        for &f in &self.layout.reachable {
            let func = &self.unit.funcs[f];
            let id = if self.is_start(f) {
                self.program.procs[self.program.entry].span = func.span;
                self.program.entry
            } else {
                self.program.procs.push(Procedure::new(&*func.name, func.span))
            };
            self.procs.insert(f, id);
            self.encoding.procs.push((f, id));
        }
    }

    /// An input that the encoding itself needs.
    fn extra_input(&mut self, name: String, sort: Sort, range: Option<(i128, i128)>, span: Span) -> InputId {
        self.program.inputs.push(Input { name, sort, range, preferred: None, span })
    }

    /// Notes that the current edge departs from the exact meaning.
    fn approximate(&mut self, bias: Bias, what: &str, span: Span) {
        self.approximations.push(Approximation { bias, what: what.into(), span });
    }

    fn int(&mut self, value: i128) -> Term {
        match i64::try_from(value) {
            Ok(v) => self.store.int(v),
            Err(_) => {
                let value = bolide_base::Rational::from(bolide_base::IBig::from(value));
                self.store.num(value, Sort::INT)
            }
        }
    }

    /// The address of a variable that has one.
    fn base_address(&mut self, v: VarId) -> Option<Term> {
        match self.layout.vars[v] {
            Home::Nowhere => None,
            Home::Fixed(a) => Some(self.int(a)),
            Home::New => {
                let var = self.address_var(v);
                Some(self.program.vars[var].term)
            }
        }
    }

    fn address_var(&mut self, v: VarId) -> Var {
        if let Some(&var) = self.addresses.get(&v) {
            return var;
        }
        let name = format!("&{}", self.unit.vars[v].name);
        let kind = self.kind_of(v);
        let var = self.program.variable(self.store, &name, Sort::INT, kind, None);
        self.addresses.insert(v, var);
        var
    }

    fn kind_of(&self, v: VarId) -> VarKind {
        match self.unit.vars[v].storage {
            super::hir::Storage::Static => VarKind::Global,
            super::hir::Storage::Auto(f) => VarKind::Local(self.procs[&f]),
        }
    }
}
