//! Options of the engines that unwind programs.

use super::program::pictures;
use crate::arguments::{AbstractionName, BlocksName, OrderName, RefineName, ScopeName, VerifyOptions};
use bolide_engine::program::{Order, Refine, impact, relax};

/// How the engines that unwind programs are to work.
#[derive(Clone)]
pub struct Unwinders {
    /// Lazy abstraction with interpolants.
    pub impact: impact::Config,
    /// Lazy predicate abstraction.
    pub relax: relax::Config,
}

impl Unwinders {
    /// As the options say.
    pub fn new(options: &VerifyOptions) -> Unwinders {
        let order = match options.order {
            OrderName::Depth => Order::DepthFirst,
            OrderName::Breadth => Order::BreadthFirst,
        };
        let abstraction = match options.abstraction {
            AbstractionName::Boolean => relax::Abstraction::Boolean,
            AbstractionName::Cartesian => relax::Abstraction::Cartesian,
        };
        let scope = match options.predicates {
            ScopeName::Location => relax::Scope::Location,
            ScopeName::Program => relax::Scope::Program,
        };
        let refine = match options.refine {
            RefineName::Auto => Refine::Auto,
            RefineName::Interpolants => Refine::Interpolants,
            RefineName::Split => Refine::Split,
        };
        let defaults = bolide_itp::Config::default();
        let interpolation = bolide_itp::Config {
            system: options.system.into(),
            farkas: options.farkas.into(),
            verify: defaults.verify || options.check,
            ..defaults
        };
        let conjectures = !options.no_conjectures;
        let picture = if options.report.is_some() { pictures::VERTICES } else { 0 };
        let impact = impact::Config {
            order,
            refine,
            conjectures,
            interpolation,
            picture,
            short_ends: options.blocks == BlocksName::Large,
            ..impact::Config::default()
        };
        let interpolation = impact.interpolation.clone();
        let relax = relax::Config {
            order,
            refine,
            abstraction,
            scope,
            interpolation,
            picture,
            ..relax::Config::default()
        };
        Unwinders { impact, relax }
    }
}
