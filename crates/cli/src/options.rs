//! From the options of the command line to those of the library.

use crate::arguments::{
    AUTO, AbstractionName, AnnotateFeature, BlocksName, Chosen, FarkasName, GlobalsName, Ints, Malloc,
    OrderName, RefineName, ScopeName, SystemName, VerifyOptions,
};
use crate::exit;
use crate::names::{DataModel, PropertyName};
use crate::source::Refused;
use bolide::{Confirm, Engine, EngineOption, Kind, Options};
use bolide_engine::horn::annotate;
use bolide_engine::program::{Order, Refine, relax};
use bolide_front::c;
use bolide_model::program::pass::Blocks;
use std::time::Duration;

/// The options of the library; refuses those that the engine or the task does not have.
pub fn library(options: &VerifyOptions, kind: Kind) -> Result<Options, Refused> {
    let usage = |message: String| {
        eprintln!("bolide: {message}");
        Refused(exit::USAGE)
    };
    let engine = match options.engine.as_str() {
        AUTO => None,
        name => Some(Engine::by_name(name).ok_or_else(|| {
            let names = Engine::names(kind.input());
            usage(format!("unknown engine `{name}` for {}; available: auto, {names}", kind.input().noun()))
        })?),
    };
    if let Some(message) = misfit(options, engine, kind) {
        return Err(usage(message));
    }
    let mut how = Options::default();
    how.engine = engine;
    how.jobs =
        options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get())).max(1);
    how.program = front(options);
    how.blocks = match options.blocks {
        BlocksName::Large => Blocks::Large,
        BlocksName::Single => Blocks::Single,
    };
    how.all = options.all;
    how.vacuity = !options.no_vacuity;
    how.suggest = options.entry != "main";
    how.details = options.report.is_some();
    how.original_facts = options.witness.is_some() || options.report.is_some();
    if options.check {
        how.confirm = Confirm::Always;
    }
    how.certificate = options.certificate.is_some();
    how.obligations = options.export_obligations.is_some();
    how.certificate_time = options.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    engines(options, &mut how);
    Ok(how)
}

/// Why an option does not fit the engine or the task.
fn misfit(options: &VerifyOptions, engine: Option<Engine>, kind: Kind) -> Option<String> {
    for option in EngineOption::ALL.into_iter().filter(|o| options.has(*o)) {
        let has = |e: Engine| e.entry().options.contains(&option) && e.works_on(kind.input());
        let engines: Vec<&str> =
            option.engines().filter(|e| e.inputs.contains(&kind.input())).map(|e| e.name).collect();
        let name = option.name();
        match engine {
            Some(engine) if !has(engine) => return Some(format!("engine {engine} has no option --{name}")),
            None if engines.is_empty() => {
                return Some(format!("--{name} has no meaning for {}", kind.input().noun()));
            }
            _ => {}
        }
    }
    let only: [(&str, bool, &[Kind]); 12] = [
        ("blocks", options.blocks != BlocksName::Large, &[Kind::Program]),
        ("all", options.all, &[Kind::Program, Kind::Aiger, Kind::Btor2]),
        ("ints", options.ints != Ints::Machine, &[Kind::Program]),
        ("malloc", options.malloc != Malloc::Succeeds, &[Kind::Program]),
        ("entry", options.entry != "main", &[Kind::Program]),
        ("data-model", options.data_model == Some(DataModel::Ilp32), &[Kind::Program]),
        ("property", !options.property.is_empty(), &[Kind::Program]),
        ("harness", options.harness.is_some(), &[Kind::Program]),
        ("alethe", options.alethe.is_some(), &[Kind::Horn]),
        ("merge-rules", options.merge_rules, &[Kind::Program, Kind::Horn]),
        ("vcd", options.vcd.is_some(), &[Kind::Aiger, Kind::Btor2]),
        ("certificate-circuit", options.certificate_circuit.is_some(), &[Kind::Aiger, Kind::Btor2]),
    ];
    // In a batch of different tasks an option is for those that it fits.
    let misfit =
        only.iter().find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind) && !options.as_part);
    misfit.map(|(name, ..)| format!("--{name} has no meaning for {}", kind.input().noun()))
}

/// How the engines work.
fn engines(options: &VerifyOptions, how: &mut Options) {
    let order = match options.order {
        None | Some(OrderName::Depth) => Order::DepthFirst,
        Some(OrderName::Breadth) => Order::BreadthFirst,
    };
    let refine = match options.refine {
        None | Some(RefineName::Auto) => Refine::Auto,
        Some(RefineName::Interpolants) => Refine::Interpolants,
        Some(RefineName::Split) => Refine::Split,
    };
    let defaults = bolide_itp::Config::default();
    let interpolation = bolide_itp::Config {
        system: options.system.unwrap_or(SystemName::Mcmillan).into(),
        farkas: options.farkas.unwrap_or(FarkasName::Decomposed).into(),
        verify: defaults.verify || options.check,
        ..defaults
    };
    let impact = &mut how.engines.impact;
    (impact.order, impact.refine) = (order, refine);
    impact.conjectures = !options.no_conjectures;
    impact.short_ends = options.blocks == BlocksName::Large;
    impact.interpolation = interpolation.clone();
    let relax = &mut how.engines.relax;
    (relax.order, relax.refine, relax.interpolation) = (order, refine, interpolation);
    relax.abstraction = match options.abstraction {
        None | Some(AbstractionName::Boolean) => relax::Abstraction::Boolean,
        Some(AbstractionName::Cartesian) => relax::Abstraction::Cartesian,
    };
    relax.scope = match options.predicates {
        None | Some(ScopeName::Location) => relax::Scope::Location,
        Some(ScopeName::Program) => relax::Scope::Program,
    };
    how.engines.preparation.merge = options.merge_rules;
    how.engines.pdr.guide = !options.pdr_without_guidance;
    let with = |feature| !options.annotate_without.contains(&feature);
    how.engines.annotate = annotate::Config {
        minterms: with(AnnotateFeature::Minterms),
        generalise: with(AnnotateFeature::Generalisation),
        propagate: with(AnnotateFeature::Propagation),
        back_jumping: with(AnnotateFeature::BackJumping),
        relevance: with(AnnotateFeature::Relevance),
        sampling: with(AnnotateFeature::Sampling),
        bounds: with(AnnotateFeature::Bounds),
        induction: with(AnnotateFeature::Induction),
        covering: with(AnnotateFeature::Covering),
        houdini: with(AnnotateFeature::Houdini),
        ..annotate::Config::default()
    };
}

/// What is asked about a C program, and how it is read, as the command line says it.
pub struct Question<'a> {
    /// The properties; none for the default ones.
    pub property: &'a [Chosen],
    /// Sizes of integer types.
    pub data_model: DataModel,
    /// What integers are.
    pub ints: Ints,
    /// Where the program starts.
    pub entry: &'a str,
    /// What globals hold then.
    pub globals: GlobalsName,
    /// What allocations do.
    pub malloc: Malloc,
    /// Do contracts stand for functions?
    pub modular: bool,
}

impl Question<'_> {
    /// The same in the words of the front end.
    pub fn front(&self) -> c::Options {
        let chosen = |name| self.property.iter().any(|Chosen(names)| names.contains(&name));
        let asked = |name| chosen(name) || chosen(PropertyName::All);
        let of_memory = |name| asked(name) || chosen(PropertyName::Memsafety);
        let default = c::Properties::default();
        let properties = c::Properties {
            errors: self.property.is_empty() || asked(PropertyName::Errors),
            labels: if self.property.is_empty() { default.labels } else { Some(asked(PropertyName::Labels)) },
            overflow: asked(PropertyName::Overflow),
            div_by_zero: asked(PropertyName::DivByZero),
            bounds: asked(PropertyName::Bounds),
            null: asked(PropertyName::Null),
            shift: asked(PropertyName::Shift),
            deref: of_memory(PropertyName::Deref),
            free: of_memory(PropertyName::Free),
            leak: of_memory(PropertyName::Leak),
            cleanup: chosen(PropertyName::Cleanup),
            pointer_arithmetic: chosen(PropertyName::PointerArithmetic),
            alignment: chosen(PropertyName::Alignment),
            uninit: chosen(PropertyName::Uninit),
        };
        let ints = match self.ints {
            Ints::Machine => c::Ints::Machine,
            Ints::Unbounded => c::Ints::Unbounded,
        };
        let data_model = data_model(self.data_model);
        let open_globals = self.globals == GlobalsName::Arbitrary;
        let malloc_fails = self.malloc == Malloc::Fails;
        let entry = Some(self.entry.into());
        c::Options {
            data_model,
            ints,
            properties,
            entry,
            open_globals,
            malloc_fails,
            modular: self.modular,
            floats: c::Floats::default(),
        }
    }
}

/// What the front end for C is asked for.
fn front(options: &VerifyOptions) -> c::Options {
    let VerifyOptions { property, data_model, ints, entry, globals, malloc, modular, .. } = options;
    let data_model =
        if options.compiler.m32 { DataModel::Ilp32 } else { data_model.unwrap_or(DataModel::Lp64) };
    let (ints, globals, malloc, modular) = (*ints, *globals, *malloc, *modular);
    Question { property, data_model, ints, entry, globals, malloc, modular }.front()
}

/// The front end's name for a data model.
pub fn data_model(data_model: DataModel) -> c::DataModel {
    match data_model {
        DataModel::Ilp32 => c::DataModel::Ilp32,
        DataModel::Lp64 => c::DataModel::Lp64,
    }
}
