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
    /// Decide whether a program, a Horn clause problem or a circuit is safe.
    #[command(after_help = "\
Examples:
  bolide verify circuit.aig                    is a bad state reachable?
  bolide verify --engine pdr clauses.smt2      Horn clauses: sat (safe), unsat (unsafe) or unknown
  bolide verify --timeout 60 --json driver.c   the verdict as JSON

The first line of the output is `safe`, `unsafe` or `unknown: reason` (`sat`, `unsat`, `unknown` for Horn clauses).

Exit codes: 0 safe, 1 unsafe, 2 unknown, 64 wrong usage, 65 the input could not be read, 70 internal error")]
    Verify(Box<VerifyOptions>),
    /// Run an SMT-LIB 2 script: satisfiability, models, cores, interpolants.
    #[command(after_help = "\
Examples:
  bolide smt query.smt2                 answer the script's commands
  bolide smt --check path.smt2          and verify every model, proof, core and interpolant
  bolide smt --timeout 10 - < q.smt2    read standard input, answer `unknown` after 10 seconds

Exit codes: 0 the script was run, 64 wrong usage, 65 the script could not be read, 70 internal error")]
    Smt(SmtOptions),
    /// Check a certificate without any solver.
    #[command(after_help = "\
Examples:
  bolide verify --certificate loop.cert loop.c
  bolide check loop.c loop.cert

The answer is `accepted: safe`, `accepted: unsafe` or `rejected: reason`.

Exit codes: 0 accepted, 1 rejected, 64 wrong usage, 65 a file could not be read")]
    Check(CheckOptions),
    /// Write a C program or a Horn clause problem for other tools.
    #[command(after_help = "\
Examples:
  bolide translate --to chc loop.c > loop.smt2    Horn clauses that are satisfiable if the program is safe
  bolide translate --prepare clauses.smt2         what the engines work on

Exit codes: 0 written, 2 a limit was reached, 64 wrong usage, 65 the input could not be read")]
    Translate(TranslateOptions),
    /// Print a C program as the engines see it, or the size of a circuit before and after reduction.
    #[command(after_help = "\
Examples:
  bolide show loop.c                        locations, edges, and how many of what
  bolide show --dot loop.c | dot -Tsvg      the same as a graph
  bolide show --prepared loop.c             after inlining, slicing and large blocks
  bolide show circuit.aig")]
    Show(ShowOptions),
    /// Run a witness on a circuit: does it reach its bad state?
    #[command(after_help = "\
Examples:
  bolide verify --witness run.txt circuit.aig
  bolide sim circuit.aig run.txt

Exit codes: 0 the bad state is reached, 1 it is not, 64 wrong usage, 65 a file could not be read")]
    Sim(SimOptions),
    /// Print a completion script for a shell.
    #[command(after_help = "\
Examples:
  bolide completions bash > ~/.local/share/bash-completion/completions/bolide")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page of Bolide, or of one of its commands, in roff.
    #[command(after_help = "\
Examples:
  bolide man | man -l -
  bolide man verify > bolide-verify.1")]
    Man {
        /// The command.
        command: Option<String>,
    },
}

/// Options of `bolide check`.
#[derive(clap::Args, Debug, Clone)]
pub struct CheckOptions {
    /// The task.
    pub file: PathBuf,
    /// Its certificate.
    pub certificate: PathBuf,
    /// Reject after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
}

/// Options of `bolide show`.
#[derive(clap::Args, Debug, Clone)]
pub struct ShowOptions {
    /// The task: `.c`, `.i`, `.aig`, `.aag`, `.btor2` or `.btor`.
    pub file: PathBuf,
    /// Write the circuit, with words as bits, in AIGER's ASCII format to this file.
    #[arg(long, value_name = "FILE")]
    pub aiger: Option<PathBuf>,
    /// A C program as a graph in the DOT language.
    #[arg(long)]
    pub dot: bool,
    /// A C program as it is after preparation.
    #[arg(long)]
    pub prepared: bool,
    /// Sizes of C's integer types.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64)]
    pub data_model: DataModel,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
}

/// Options of `bolide translate`.
#[derive(clap::Args, Debug, Clone)]
pub struct TranslateOptions {
    /// The task: `.c`, `.i` or `.smt2`.
    pub file: PathBuf,
    /// The format.
    #[arg(long, value_enum, default_value_t = Target::Chc)]
    pub to: Target,
    /// Write the clauses as they are after preparation.
    #[arg(long)]
    pub prepare: bool,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Sizes of C's integer types.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64)]
    pub data_model: DataModel,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
}

/// Formats that tasks can be translated to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// SMT-LIB of logic HORN.
    #[value(alias = "smt2")]
    Chc,
}

/// Options of `bolide sim`.
#[derive(clap::Args, Debug, Clone)]
pub struct SimOptions {
    /// The circuit: `.aig`, `.aag`, `.btor2` or `.btor`.
    pub file: PathBuf,
    /// The witness: in the format of AIGER, or of BTOR2 for a BTOR2 file.
    pub witness: PathBuf,
    /// Write the run as a waveform (VCD) to this file.
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
}

/// Options of `bolide verify`.
#[derive(clap::Args, Debug, Clone)]
pub struct VerifyOptions {
    /// The task: `.c`, `.i`, `.smt2`, `.aig`, `.aag`, `.btor2` or `.btor`.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The engine to use; `auto` picks or combines them.
    #[arg(long, default_value = "auto")]
    pub engine: String,
    /// Answer `unknown` after so many seconds for each file.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Answer `unknown` when the process needs more memory than this.
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    /// Sizes of C's integer types.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64)]
    pub data_model: DataModel,
    /// What to check in C: `errors` (calls of reach_error and the like, failing assertions), `labels` (named ERROR),
    /// `overflow`, `div-by-zero`, `bounds`, `null`, `shift`, or `all`.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub property: Vec<PropertyName>,
    /// C: go on after the first violation, until every property has its own verdict.
    #[arg(long)]
    pub all: bool,
    /// What C's integers are; with `unbounded` the verdict is about mathematical integers.
    #[arg(long, value_enum, default_value_t = Ints::Machine)]
    pub ints: Ints,
    /// The function where the C program starts.
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
    /// `impact`: which leaf of the unwinding is looked at next.
    #[arg(long, value_enum, default_value_t = OrderName::Depth)]
    pub order: OrderName,
    /// `impact`: interpolation system, from the strongest to the weakest interpolants.
    #[arg(long, value_enum, default_value_t = SystemName::Mcmillan)]
    pub system: SystemName,
    /// `impact`: how inequalities are interpolated.
    #[arg(long, value_enum, default_value_t = FarkasName::Decomposed)]
    pub farkas: FarkasName,
    /// `impact`: guess no invariants from random executions.
    #[arg(long)]
    pub no_conjectures: bool,
    /// Print the verdict, its evidence and statistics as one line of JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the evidence in the community's format to this file; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write a page to this file: the source with its invariants, the trace step by step, graphs, statistics.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write what was found to this file in SARIF 2.1.0, for code scanning.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// C: do not look for assertions that no execution reaches.
    #[arg(long)]
    pub no_vacuity: bool,
    /// C: write a file that, compiled with the program, makes it reach its error.
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write the evidence as a certificate that `bolide check` accepts; its proofs may need time beyond the limit.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Write what has to be refuted for `safe` to this directory, as SMT-LIB scripts for other solvers.
    #[arg(long, value_name = "DIRECTORY")]
    pub export_obligations: Option<PathBuf>,
    /// Circuits: write the run into a bad state as a waveform (VCD) to this file.
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Circuits: write an AIGER circuit whose own property is inductive to this file, for `safe`.
    #[arg(long, value_name = "FILE")]
    pub certificate_circuit: Option<PathBuf>,
    /// Check every interpolant and every piece of evidence again with independent means.
    #[arg(long)]
    pub check: bool,
    /// Number of engines that run side by side; 1 makes the run deterministic.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Turn improvements of the annotate engine off, to measure what they are worth.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub annotate_without: Vec<AnnotateFeature>,
    /// Turn global guidance of the pdr engine off.
    #[arg(long)]
    pub pdr_without_guidance: bool,
    /// Print statistics to standard error.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Names of properties of C programs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum PropertyName {
    /// Error functions are not called, assertions do not fail.
    Errors,
    /// Labels named ERROR are not reached.
    Labels,
    /// Signed arithmetic does not overflow.
    Overflow,
    /// No division by zero.
    DivByZero,
    /// Indices are within arrays of known size.
    Bounds,
    /// No dereference of the null pointer.
    Null,
    /// Shifts are by less than the width.
    Shift,
    /// All of these.
    All,
}

/// What integers of C are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ints {
    /// Machine words that wrap.
    Machine,
    /// Mathematical integers.
    Unbounded,
}

/// Improvements of lazy annotation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnnotateFeature {
    /// Decisions narrow a goal to one minterm.
    Minterms,
    /// Disjuncts of interpolants are dropped.
    Generalisation,
    /// Annotations are copied to later instances.
    Propagation,
    /// Resolutions that a refutation does not need are skipped.
    BackJumping,
    /// Rules that were skipped least come first.
    Relevance,
}

/// Names of data models for C.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    /// 32-bit int, long and pointers.
    #[value(name = "ILP32")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers.
    #[value(name = "LP64")]
    Lp64,
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

/// Names of search orders.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// Depth first, towards the nearest error.
    Depth,
    /// Breadth first.
    Breadth,
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

impl From<SystemName> for bolide_itp::System {
    fn from(name: SystemName) -> Self {
        match name {
            SystemName::Mcmillan => bolide_itp::System::McMillan,
            SystemName::Pudlak => bolide_itp::System::Pudlak,
            SystemName::Dual => bolide_itp::System::Dual,
        }
    }
}

impl From<FarkasName> for bolide_itp::FarkasStyle {
    fn from(name: FarkasName) -> Self {
        match name {
            FarkasName::Plain => bolide_itp::FarkasStyle::Plain,
            FarkasName::Decomposed => bolide_itp::FarkasStyle::Decomposed,
        }
    }
}
