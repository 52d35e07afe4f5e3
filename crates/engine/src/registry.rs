//! All engines in one table: what they are called, what they work on, and where they come from. The help of the command line, its
//! completions, messages and the tables of the guide are made from it.

use std::fmt;

/// What an engine works on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// C programs.
    Program,
    /// Horn clauses.
    Horn,
    /// Circuits.
    Circuit,
}

impl Input {
    /// All of them.
    pub const ALL: [Input; 3] = [Input::Program, Input::Horn, Input::Circuit];

    /// The word for it in tables.
    pub fn short(self) -> &'static str {
        match self {
            Input::Program => "C",
            Input::Horn => "clauses",
            Input::Circuit => "circuits",
        }
    }

    /// The word for it in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Input::Program => "C programs",
            Input::Horn => "Horn clauses",
            Input::Circuit => "circuits",
        }
    }
}

/// An engine.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Lazy abstraction with interpolants.
    Impact,
    /// Lazy predicate abstraction.
    Relax,
    /// Property-directed reachability.
    Pdr,
    /// Lazy annotation.
    Annotate,
    /// Bounded model checking, of clauses by stratified inlining.
    Bmc,
    /// Interpolation-based model checking.
    Imc,
    /// Interpolation sequences.
    Itpseq,
    /// Approximation refinement.
    Approx,
    /// Transition power abstraction.
    Tpa,
    /// k-induction.
    Kind,
}

/// An option of the command line that belongs to some engines.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum EngineOption {
    /// Which leaf of an unwinding is looked at next.
    Order,
    /// Where interpolants come from.
    Refine,
    /// What labels are made of.
    Abstraction,
    /// Where predicates are tracked.
    Predicates,
    /// The interpolation system.
    System,
    /// How inequalities are interpolated.
    Farkas,
    /// No conjectures.
    NoConjectures,
    /// Lazy annotation without some of its parts.
    AnnotateWithout,
    /// Property-directed reachability without global guidance.
    PdrWithoutGuidance,
}

impl EngineOption {
    /// All of them.
    pub const ALL: [EngineOption; 9] = [
        EngineOption::Order,
        EngineOption::Refine,
        EngineOption::Abstraction,
        EngineOption::Predicates,
        EngineOption::System,
        EngineOption::Farkas,
        EngineOption::NoConjectures,
        EngineOption::AnnotateWithout,
        EngineOption::PdrWithoutGuidance,
    ];

    /// The name of the option on the command line, without its dashes.
    pub fn name(self) -> &'static str {
        match self {
            EngineOption::Order => "order",
            EngineOption::Refine => "refine",
            EngineOption::Abstraction => "abstraction",
            EngineOption::Predicates => "predicates",
            EngineOption::System => "system",
            EngineOption::Farkas => "farkas",
            EngineOption::NoConjectures => "no-conjectures",
            EngineOption::AnnotateWithout => "annotate-without",
            EngineOption::PdrWithoutGuidance => "pdr-without-guidance",
        }
    }

    /// The engines that have the option.
    pub fn engines(self) -> impl Iterator<Item = &'static Entry> {
        ENGINES.iter().filter(move |entry| entry.options.contains(&self))
    }
}

/// What is known about an engine.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The engine.
    pub engine: Engine,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it works on.
    pub inputs: &'static [Input],
    /// One line of help.
    pub help: &'static str,
    /// The paper that it implements.
    pub paper: &'static str,
    /// Its options.
    pub options: &'static [EngineOption],
    /// Can it find proofs, or only errors?
    pub proves: bool,
}

use EngineOption::{
    Abstraction, AnnotateWithout, Farkas, NoConjectures, Order, PdrWithoutGuidance, Predicates, Refine,
    System,
};
use Input::{Circuit, Horn, Program};

/// All engines, in the order of the help.
pub const ENGINES: &[Entry] = &[
    Entry {
        engine: Engine::Impact,
        name: "impact",
        inputs: &[Program, Horn],
        help: "lazy abstraction with interpolants: a tree of paths labelled with facts",
        paper: "McMillan, Lazy Abstraction with Interpolants, CAV 2006",
        options: &[Order, Refine, System, Farkas, NoConjectures],
        proves: true,
    },
    Entry {
        engine: Engine::Relax,
        name: "relax",
        inputs: &[Program, Horn],
        help: "lazy predicate abstraction with predicates from languages that grow only if they must",
        paper: "Jhala and McMillan, A Practical and Complete Approach to Predicate Refinement, TACAS 2006",
        options: &[Order, Refine, Abstraction, Predicates, System, Farkas],
        proves: true,
    },
    Entry {
        engine: Engine::Pdr,
        name: "pdr",
        inputs: &[Program, Horn, Circuit],
        help: "property-directed reachability, one frame after the other",
        paper: "Bradley, SAT-Based Model Checking without Unrolling, VMCAI 2011; Komuravelli et al., CAV 2014",
        options: &[PdrWithoutGuidance],
        proves: true,
    },
    Entry {
        engine: Engine::Annotate,
        name: "annotate",
        inputs: &[Program, Horn],
        help: "lazy annotation: a search that learns from every failure",
        paper: "McMillan, Lazy Annotation Revisited, CAV 2014",
        options: &[AnnotateWithout],
        proves: true,
    },
    Entry {
        engine: Engine::Bmc,
        name: "bmc",
        inputs: &[Program, Horn, Circuit],
        help: "bounded model checking: errors only, deeper and deeper",
        paper: "Biere et al., Symbolic Model Checking without BDDs, TACAS 1999; Lal et al., CAV 2012",
        options: &[],
        proves: false,
    },
    Entry {
        engine: Engine::Imc,
        name: "imc",
        inputs: &[Program, Horn, Circuit],
        help: "interpolants as images, until nothing new is reached",
        paper: "McMillan, Interpolation and SAT-Based Model Checking, CAV 2003",
        options: &[],
        proves: true,
    },
    Entry {
        engine: Engine::Itpseq,
        name: "itpseq",
        inputs: &[Circuit],
        help: "interpolation sequences",
        paper: "Vizel and Grumberg, Interpolation-Sequence Based Model Checking, FMCAD 2009",
        options: &[],
        proves: true,
    },
    Entry {
        engine: Engine::Approx,
        name: "approx",
        inputs: &[Circuit],
        help: "approximations from both ends that refine each other",
        paper: "D'Silva, Purandare and Kroening, Approximation Refinement for Interpolation-Based Model Checking, VMCAI 2008",
        options: &[],
        proves: true,
    },
    Entry {
        engine: Engine::Tpa,
        name: "tpa",
        inputs: &[Program, Horn],
        help: "transition power abstraction: finds long derivations",
        paper: "Blicha et al., Transition Power Abstractions for Deep Counterexample Detection, TACAS 2022",
        options: &[],
        proves: true,
    },
    Entry {
        engine: Engine::Kind,
        name: "kind",
        inputs: &[Program, Horn, Circuit],
        help: "k-induction",
        paper: "Sheeran, Singh and Stålmarck, Checking Safety Properties Using Induction and a SAT Solver, FMCAD 2000",
        options: &[],
        proves: true,
    },
];

impl Engine {
    /// What is known about the engine.
    pub fn entry(self) -> &'static Entry {
        // Every engine is in the table; a test makes sure of it.
        ENGINES.iter().find(|entry| entry.engine == self).unwrap_or(&ENGINES[0])
    }

    /// The name of the engine.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Does it work on such tasks?
    pub fn works_on(self, input: Input) -> bool {
        self.entry().inputs.contains(&input)
    }

    /// Can it find proofs?
    pub fn proves(self) -> bool {
        self.entry().proves
    }

    /// The engine with a name.
    pub fn by_name(name: &str) -> Option<Engine> {
        ENGINES.iter().find(|entry| entry.name == name).map(|entry| entry.engine)
    }

    /// The names of the engines for an input, separated by commas.
    pub fn names(input: Input) -> String {
        let names: Vec<&str> =
            ENGINES.iter().filter(|entry| entry.inputs.contains(&input)).map(|entry| entry.name).collect();
        names.join(", ")
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_an_entry_of_its_own() {
        use Engine::{Annotate, Approx, Bmc, Imc, Impact, Itpseq, Kind, Pdr, Relax, Tpa};
        for engine in [Impact, Relax, Pdr, Annotate, Bmc, Imc, Itpseq, Approx, Tpa, Kind] {
            assert_eq!(ENGINES.iter().filter(|e| e.engine == engine).count(), 1);
            assert_eq!(Engine::by_name(engine.name()), Some(engine));
            assert!(!engine.entry().inputs.is_empty() && !engine.entry().help.is_empty());
        }
        assert_eq!(Engine::by_name("auto"), None);
        assert_eq!(Engine::names(Input::Circuit), "pdr, bmc, imc, itpseq, approx, kind");
    }

    #[test]
    fn every_option_belongs_to_an_engine() {
        for option in EngineOption::ALL {
            assert!(option.engines().next().is_some(), "{}", option.name());
        }
    }
}
