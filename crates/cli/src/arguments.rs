//! The arguments of the command line, from which the help is made.

use crate::input::specification;
use crate::names::{DataModel, PropertyName};
use crate::preprocessor::CompilerFlags;
use bolide::{ENGINES, EngineOption, Input};
use bolide_base::Message;
use bolide_report::bench::Part;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Proves programs and circuits correct with Craig interpolants, or shows how they fail.
#[derive(Parser, Debug)]
#[command(name = "bolide", version, about, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Do not look for the project's defaults in `bolide.toml`.
    #[arg(long, global = true)]
    pub no_config: bool,
    /// Let the project's `bolide.toml` run commands (`cpp`) and write files outside of its folder.
    #[arg(long, global = true)]
    pub trust_config: bool,
}

/// The name that stands for the strategy of Bolide itself.
pub const AUTO: &str = "auto";
/// What it does.
const AUTO_HELP: &str = "several of the others take turns; C programs are tested first";

/// The names of the engines, from the registry.
fn engine_names() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help(AUTO_HELP);
    let engines = ENGINES.iter().map(|e| PossibleValue::new(e.name).help(e.help));
    PossibleValuesParser::new([auto].into_iter().chain(engines))
}

/// The engines with what they work on, from the registry.
fn engines_help() -> String {
    let mut out = format!("  {AUTO:<9} all: {AUTO_HELP}\n");
    for entry in ENGINES {
        let inputs: Vec<&str> = entry.inputs.iter().map(|i| i.short()).collect();
        let inputs = if inputs.len() == Input::ALL.len() { "all".into() } else { inputs.join(", ") };
        out += &format!("  {:<9} {inputs}: {}\n", entry.name, entry.help);
    }
    out
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a program, a Horn clause problem or a circuit is safe.
    #[command(after_help = format!("\
Examples:
  bolide verify loop.c                         can an error be reached?
  bolide verify --property overflow loop.c     can a signed operation overflow?
  bolide verify --timeout 60 --json driver.c   the verdict as JSON
  bolide verify --certificate loop.cert loop.c evidence for `bolide check loop.c loop.cert`
  bolide verify --engine pdr clauses.smt2      Horn clauses: sat (safe), unsat (unsafe) or unknown
  bolide verify circuit.aig                    is a bad state reachable?
  bolide verify task.yml                       a task of SV-COMP, with its property and data model
  bolide verify --link a.c b.c -Iinclude       all files are one program
  bolide verify                                the targets that bolide.toml describes
  bolide verify src/ --jobs 4 --cache .bolide  all tasks in a directory, four at a time, unchanged ones at once

Engines (--engine):
{}
The first line of the output is `safe`, `unsafe` or `unknown: reason` (`sat`, `unsat`, `unknown` for Horn clauses). Several tasks
end in a table, or are one JSON array. Ctrl-C stops with what is known. Options may stand in `bolide.toml`, under [verify].

Exit codes: 0 safe, 1 unsafe, 2 unknown, 64 wrong usage, 65 the input could not be read, 70 internal error; of several tasks,
the highest", engines_help()))]
    Verify(Box<VerifyOptions>),
    /// Run an SMT-LIB 2 script: satisfiability, models, cores, interpolants.
    #[command(after_help = "\
Examples:
  bolide smt query.smt2                 answer the script's commands
  bolide smt --check path.smt2          and verify every model, proof, core and interpolant
  bolide smt --timeout 10 - < q.smt2    read standard input, answer `unknown` after 10 seconds

Exit codes: 0 the script was run, 64 wrong usage, 65 the script could not be read, 70 internal error")]
    Smt(SmtOptions),
    /// Run many tasks with known answers under limits, and compare runs.
    #[command(after_help = "\
Examples:
  bolide bench tasks.tsv --timeout 10 --csv new.csv      run all tasks and write what came of them
  bolide bench loops.set --only loop-invgen --sample 5   five tasks of a set
  bolide bench new.csv --compare old.csv --plots plots   what changed, with cactus and scatter plots
  bolide bench tasks.tsv --arg=--engine=pdr              options for every task
  bolide bench tasks.tsv --slurm run.sh --parts 64       a job array for a cluster
  bolide bench bolide-parts/part-*.csv --csv all.csv     the results of its parts in one file

Lists of tasks: .tsv (set, path, expected, arguments, with a header), SV-COMP's .yml and .set, directories.

Exit codes: 0 no wrong answers, 1 wrong answers, 64 wrong usage, 65 the list could not be read")]
    Bench(BenchOptions),
    /// Check a certificate without any solver.
    #[command(after_help = "\
Examples:
  bolide verify --certificate loop.cert loop.c
  bolide check loop.c loop.cert
  bolide check --property overflow --data-model ILP32 loop.c loop.cert
  bolide check task.yml loop.cert
  bolide check --cpp 'cc -E' tool.c tool.cert    for a C file that needs a preprocessor

What is claimed about the task stands on this command line, with the defaults of `bolide verify`, or in the `.yml`. A certificate
about anything else is rejected. No configuration is read, and no program is run but the one that --cpp names.

The answer is `accepted: safe`, `accepted: unsafe`, `rejected: reason`, or `unknown: reason` if a limit is reached. Of a C program
further lines say what was claimed, and which form of the program the invariant is about.

Exit codes: 0 accepted, 1 rejected, 2 a limit was reached, 64 wrong usage, 65 a file could not be read or the certificate is for
another task")]
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
    /// Write C files as one program, for `verify`, `check` and the others.
    #[command(after_help = "\
Examples:
  bolide link a.c b.c -Iinclude -o program.i
  bolide verify --certificate program.cert program.i && bolide check program.i program.cert

Exit codes: 0 written, 64 wrong usage, 65 a file could not be read")]
    Link(LinkOptions),
    /// Serve an editor: the language server protocol over standard input and output.
    #[command(after_help = "\
Examples:
  bolide lsp
  bolide lsp -- --property memsafety --timeout 30    with these options for `bolide verify`

Files are verified when they are opened and saved. Violations are diagnostics with the trace as related locations, invariants are inlay hints,
and a lens above each function verifies it by itself.")]
    Lsp(LspOptions),
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
    /// The task, or SV-COMP's `.yml`, which also says the property and the data model.
    pub file: PathBuf,
    /// Its certificate.
    pub certificate: PathBuf,
    /// The other files of a program that was verified with `--link`, in the same order.
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub link: Vec<PathBuf>,
    /// What is claimed about a C program: as with `verify`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = properties)]
    pub property: Vec<Chosen>,
    /// Sizes of C's integer types [default: LP64, or what the task file says].
    #[arg(long, value_enum)]
    pub data_model: Option<DataModel>,
    /// What C's integers are.
    #[arg(long, value_enum, default_value_t = Ints::Machine)]
    pub ints: Ints,
    /// C: can allocations of memory fail?
    #[arg(long, value_enum, default_value_t = Malloc::Succeeds)]
    pub malloc: Malloc,
    /// The function where the C program starts.
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// What the variables of the C program hold when it starts.
    #[arg(long, value_enum, default_value_t = GlobalsName::Initial)]
    pub globals: GlobalsName,
    /// C: the program was verified part by part, with contracts in place of the functions that have them.
    #[arg(long)]
    pub modular: bool,
    /// Answer `unknown` after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Answer `unknown` when the process needs more memory than this.
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    /// Write the refutations of the obligations to this directory, for other checkers: DIMACS and LRAT, and what they take for
    /// granted as SMT-LIB scripts (see tools/check-proofs).
    #[arg(long, value_name = "DIRECTORY")]
    pub export_proofs: Option<PathBuf>,
    /// Run this command to preprocess a C file that needs it; the file is added to it. Without this option no program is run.
    #[arg(long, value_name = "COMMAND")]
    pub cpp: Option<String>,
    /// Flags of the compiler.
    #[command(flatten)]
    pub compiler: CompilerFlags,
}

/// Options of `bolide bench`.
#[derive(clap::Args, Debug, Clone)]
pub struct BenchOptions {
    /// The list of tasks, or the results of earlier runs (CSV or JSON), which are put together.
    #[arg(required = true)]
    pub manifest: Vec<PathBuf>,
    /// Seconds for each task.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub timeout: f64,
    /// Memory for each task.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub memory: u64,
    /// How many tasks run side by side, each with one engine at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Only tasks with one of these texts in the name of their set or in their path.
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// At most so many tasks of each set, spread over it.
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// An option of `bolide verify` for every task; may be given several times.
    #[arg(long = "arg", value_name = "OPTION", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Write the results as CSV to this file.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the results as JSON to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Only one of several parts of the tasks, for runs on several machines.
    #[arg(long, value_name = "K/N")]
    pub part: Option<Part>,
    /// Keep the results that the CSV file has already, and run what is missing.
    #[arg(long, requires = "csv")]
    pub resume: bool,
    /// Run nothing, but write a job array for Slurm to this file; `-` for standard output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["part", "resume", "csv", "json", "compare", "plots"])]
    pub slurm: Option<PathBuf>,
    /// With --slurm: how many parts the array has.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub parts: u32,
    /// Compare with the CSV file of another run.
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Write cactus.svg and, with --compare, scatter.svg to this directory.
    #[arg(long, value_name = "DIRECTORY")]
    pub plots: Option<PathBuf>,
    /// Print what comes of every task.
    #[arg(short, long)]
    pub verbose: bool,
    /// Show no progress on the terminal.
    #[arg(short, long)]
    pub quiet: bool,
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
    /// With `--to smt2`: how many steps.
    #[arg(long, value_name = "STEPS", default_value_t = 10)]
    pub bound: usize,
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
    /// Horn clauses: SMT-LIB of logic HORN.
    Chc,
    /// A quantifier-free SMT-LIB script: can an error be reached in at most `--bound` steps?
    Smt2,
    /// A word-level transition system.
    Btor2,
}

/// Options of `bolide lsp`.
#[derive(clap::Args, Debug, Clone)]
pub struct LspOptions {
    /// Options for `bolide verify`; without a limit there, each run has 20 seconds.
    #[arg(last = true, value_name = "OPTIONS")]
    pub verify: Vec<OsString>,
}

/// Options of `bolide link`.
#[derive(clap::Args, Debug, Clone)]
pub struct LinkOptions {
    /// The files: `.c` or `.i`.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Where the program is written; `-` for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
    /// Flags for it.
    #[command(flatten)]
    pub compiler: CompilerFlags,
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
    /// The tasks: `.c`, `.i`, `.smt2`, `.aig`, `.aag`, `.btor2`, `.btor`, SV-COMP's `.yml`, or directories with such files.
    /// Without any, the targets of `bolide.toml`.
    pub files: Vec<PathBuf>,
    /// C: all files are one program.
    #[arg(long)]
    pub link: bool,
    /// C: the files of this compilation database are one program, each with its own flags. If files are named, these of it.
    #[arg(long, value_name = "DATABASE")]
    pub compile_commands: Option<PathBuf>,
    /// Only these targets of `bolide.toml`.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub target: Vec<String>,
    /// The engine to use; `auto` lets several take turns.
    #[arg(long, default_value = AUTO, value_parser = engine_names(), hide_possible_values = true)]
    pub engine: String,
    /// Answer `unknown` after so many seconds for each file.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Answer `unknown` when the process needs more memory than this.
    #[arg(long, value_name = "MIB")]
    pub memory: Option<u64>,
    /// Sizes of C's integer types [default: LP64, or what the task file says].
    #[arg(long, value_enum)]
    pub data_model: Option<DataModel>,
    /// What to check in C: `errors` (calls of reach_error and the like, failing assertions), `labels` (named ERROR),
    /// `overflow`, `div-by-zero`, `bounds`, `null`, `shift`, `deref`, `free`, `leak`, `cleanup`, `pointer-arithmetic`, `alignment`, `uninit`, `memsafety`, `all`, or a specification file of SV-COMP (`.prp`).
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = properties)]
    pub property: Vec<Chosen>,
    /// C: go on after the first violation, until every property has its own verdict.
    #[arg(long)]
    pub all: bool,
    /// What C's integers are; with `unbounded` the verdict is about mathematical integers.
    #[arg(long, value_enum, default_value_t = Ints::Machine)]
    pub ints: Ints,
    /// C: can allocations of memory fail, so that their result is null?
    #[arg(long, value_enum, default_value_t = Malloc::Succeeds)]
    pub malloc: Malloc,
    /// The function where the C program starts.
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// What the variables of the C program hold when it starts.
    #[arg(long, value_enum, default_value_t = GlobalsName::Initial)]
    pub globals: GlobalsName,
    /// C: verify every function that has a contract (see include/bolide.h) by itself, and use its contract where it is called.
    #[arg(long)]
    pub modular: bool,
    /// C: verify every function of the files by itself, with arbitrary arguments.
    #[arg(long)]
    pub functions: bool,
    /// Only tasks with files that differ from this revision of git, or that include such files.
    #[arg(long, value_name = "REVISION")]
    pub changed_since: Option<String>,
    /// C: a file with functions that the program uses and does not define; linked with it.
    #[arg(long, value_name = "SOURCE")]
    pub models: Vec<PathBuf>,
    /// The command that preprocesses C files; the file is added to it.
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
    /// What an edge of a C program stands for when `impact` and `relax` unwind it.
    #[arg(long, value_enum, default_value_t = BlocksName::Large)]
    pub blocks: BlocksName,
    /// `impact`, `relax`: which leaf of the unwinding is looked at next [default: depth].
    #[arg(long, value_enum)]
    pub order: Option<OrderName>,
    /// `impact`, `relax`: where the interpolants that refute paths come from [default: auto].
    #[arg(long, value_enum)]
    pub refine: Option<RefineName>,
    /// `relax`: what the labels of the unwinding are made of [default: boolean].
    #[arg(long, value_enum)]
    pub abstraction: Option<AbstractionName>,
    /// `relax`: where the predicates that were found for a location are tracked [default: location].
    #[arg(long, value_enum)]
    pub predicates: Option<ScopeName>,
    /// `impact`, `relax`: interpolation system, from the strongest to the weakest interpolants [default: mcmillan].
    #[arg(long, value_enum)]
    pub system: Option<SystemName>,
    /// `impact`, `relax`: how inequalities are interpolated [default: decomposed].
    #[arg(long, value_enum)]
    pub farkas: Option<FarkasName>,
    /// `impact`: guess no invariants from random executions.
    #[arg(long)]
    pub no_conjectures: bool,
    /// Print the verdict, its evidence and statistics as one line of JSON.
    #[arg(long)]
    pub json: bool,
    /// Write the evidence in the community's format to this file; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Horn clauses: write a proof of `unsat` in the Alethe format to this file; `-` for standard output.
    #[arg(long, value_name = "FILE")]
    pub alethe: Option<PathBuf>,
    /// Write a page (HTML) to this file: the source with its invariants, the trace step by step, graphs, statistics. For
    /// several tasks, a directory of pages.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write what was found, in all tasks, to this file in SARIF 2.1.0, for code scanning.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Compare the findings with an earlier SARIF log: which are new, which are gone.
    #[arg(long, value_name = "FILE", requires = "sarif")]
    pub baseline: Option<PathBuf>,
    /// Do not look for what makes a verdict say less than it seems to: assertions that no execution reaches, and the like.
    #[arg(long)]
    pub no_vacuity: bool,
    /// C: write a file that, compiled with the program, makes it reach its error.
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write the evidence as a certificate that `bolide check` accepts; its proofs may take as long as the limit once more.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Write what has to be refuted for `safe` to this directory, as SMT-LIB scripts for other solvers.
    #[arg(long, value_name = "DIRECTORY")]
    pub export_obligations: Option<PathBuf>,
    /// Keep certificates of verdicts in this directory, and answer from it, with the certificate checked again, when the
    /// same task comes back.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Circuits: write the run into a bad state as a waveform (VCD) to this file.
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Circuits: write an AIGER circuit whose own property is inductive to this file, for `safe`.
    #[arg(long, value_name = "FILE")]
    pub certificate_circuit: Option<PathBuf>,
    /// Check every interpolant and every piece of evidence again with independent means.
    #[arg(long)]
    pub check: bool,
    /// One task: how many engines run side by side; 1 makes the run deterministic. Several tasks: how many of them do.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Turn improvements of the annotate engine off, to measure what they are worth.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub annotate_without: Vec<AnnotateFeature>,
    /// Merge Horn rules with the same head and body predicates into one.
    #[arg(long)]
    pub merge_rules: bool,
    /// Turn global guidance of the pdr engine off.
    #[arg(long)]
    pub pdr_without_guidance: bool,
    /// List all checks, and print statistics to standard error.
    #[arg(short, long)]
    pub verbose: bool,
    /// Show no progress on the terminal.
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the report for the process that runs all tasks.
    #[arg(long, hide = true)]
    pub as_part: bool,
    /// What is said to the preprocessor.
    #[command(flatten)]
    pub compiler: CompilerFlags,
}

impl VerifyOptions {
    /// Is an option of engines given?
    pub fn has(&self, option: EngineOption) -> bool {
        match option {
            EngineOption::Order => self.order.is_some(),
            EngineOption::Refine => self.refine.is_some(),
            EngineOption::Abstraction => self.abstraction.is_some(),
            EngineOption::Predicates => self.predicates.is_some(),
            EngineOption::System => self.system.is_some(),
            EngineOption::Farkas => self.farkas.is_some(),
            EngineOption::NoConjectures => self.no_conjectures,
            EngineOption::AnnotateWithout => !self.annotate_without.is_empty(),
            EngineOption::PdrWithoutGuidance => self.pdr_without_guidance,
        }
    }
}

/// Properties that a word on the command line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen(pub Vec<PropertyName>);

/// Understands the name of a property or of a specification file.
fn properties(word: &str) -> Result<Chosen, Message> {
    if word.ends_with(".prp") {
        return specification::load(Path::new(word)).map(Chosen);
    }
    PropertyName::from_str(word, true).map(|name| Chosen(vec![name])).map_err(|_| {
        let names = PropertyName::value_variants().iter().filter_map(|v| v.to_possible_value());
        let names: Vec<String> = names.map(|v| v.get_name().into()).collect();
        format!("available: {}, and files that end in .prp", names.join(", ")).into()
    })
}

/// What integers of C are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ints {
    /// Machine words that wrap.
    Machine,
    /// Mathematical integers.
    Unbounded,
}

/// What allocations of memory do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Malloc {
    /// They give memory, and the report says so.
    Succeeds,
    /// They may also return the null pointer.
    Fails,
}

/// Improvements of lazy annotation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnnotateFeature {
    /// Decisions narrow a goal to one minterm.
    Minterms,
    /// Disjuncts of interpolants are dropped.
    Generalisation,
    /// Complex interpolants are made again from prime implicants.
    Sampling,
    /// Annotations are copied to later instances.
    Propagation,
    /// Resolutions that a refutation does not need are skipped.
    BackJumping,
    /// Rules that were skipped least come first.
    Relevance,
    /// Bounds in interpolants move as far as counterexamples allow.
    Bounds,
    /// Interpolants may be needed to show themselves (relative induction).
    Induction,
    /// Instances of single predicates cover later ones.
    Covering,
    /// The largest inductive subset of all annotations is tried.
    Houdini,
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

/// Names of initial states of variables.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum GlobalsName {
    /// Their initial values.
    Initial,
    /// Anything.
    Arbitrary,
}

/// Names of sizes of blocks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlocksName {
    /// All paths from one loop head to the next.
    Large,
    /// One statement.
    Single,
}

/// Names of sources of interpolants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum RefineName {
    /// Ordinary interpolants, and the split prover when they diverge.
    Auto,
    /// Ordinary interpolants.
    Interpolants,
    /// The split prover, in finite languages that grow when a path needs it.
    Split,
}

/// Names of abstractions.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum AbstractionName {
    /// Boolean combinations of predicates.
    Boolean,
    /// Conjunctions of predicates and of negated predicates.
    Cartesian,
}

/// Names of scopes of predicates.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScopeName {
    /// Only there.
    Location,
    /// In the whole program.
    Program,
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
