//! The arguments of the command line, from which the help is made.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Proves programs and circuits correct with Craig interpolants, or shows how they fail.
#[derive(Parser, Debug)]
#[command(name = "bolide", version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run an SMT-LIB 2 script: satisfiability, models, cores, interpolants.
    #[command(after_help = "\
Examples:
  bolide smt query.smt2                 answer the script's commands
  bolide smt --check path.smt2          and verify every model, proof, core and interpolant
  bolide smt --timeout 10 - < q.smt2    read standard input, answer `unknown` after 10 seconds

Exit codes: 0 the script was run, 64 wrong usage, 65 the script could not be read, 70 internal error")]
    Smt(SmtOptions),
}

/// Options of `bolide smt`.
#[derive(clap::Args, Debug, Clone)]
pub struct SmtOptions {
    /// The script; `-` for standard input.
    pub file: PathBuf,
    /// Answer `unknown` to everything after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Answer `unknown` when the process needs more memory than this.
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    /// Check every refutation, core and interpolant (models are always checked).
    #[arg(long)]
    pub check: bool,
    /// Interpolation system: from the strongest to the weakest interpolants.
    #[arg(long, value_enum, default_value_t = SystemName::Mcmillan)]
    pub system: SystemName,
    /// How inequalities are interpolated.
    #[arg(long, value_enum, default_value_t = FarkasName::Decomposed)]
    pub farkas: FarkasName,
    /// Make unsatisfiable cores minimal.
    #[arg(long)]
    pub minimize_cores: bool,
    /// Seed of the search; the same seed gives the same run.
    #[arg(long, default_value_t = 0)]
    pub seed: u32,
    /// Print statistics to standard error at the end.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Names of interpolation systems.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum SystemName {
    /// McMillan's system.
    Mcmillan,
    /// Pudlák's system.
    Pudlak,
    /// The dual of McMillan's system.
    Dual,
}

/// Names of ways to interpolate inequalities.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum FarkasName {
    /// One inequality.
    Plain,
    /// A conjunction of simpler inequalities.
    Decomposed,
}
