//! `bolide-fuzz`: random problems against Bolide's own checks and z3.

use bolide_base::Message;
use bolide_fuzz::campaign::{self, Plan};
use bolide_fuzz::{c, generate, guard, replay, z3};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Fuzzes Bolide's solver and interpolants. Findings are shrunk and written to files.
#[derive(Parser)]
#[command(name = "bolide-fuzz", version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Formulas: all solvers agree, models, refutations and cores hold.
    Solve(Options),
    /// Interpolation problems: all systems give verified interpolants.
    Interpolate(Options),
    /// Scopes and assumptions: an old solver answers as a fresh one does.
    Incremental(Options),
    /// Scripts on file, such as old findings, with all checks.
    Replay {
        /// The scripts.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Milliseconds for each query.
        #[arg(long, default_value_t = 10_000, value_name = "MS")]
        limit: u64,
        /// How many seeds of the solver are tried.
        #[arg(long, default_value_t = 7, value_name = "N")]
        seeds: u32,
    },
    /// Programs of ordinary C: every reading of them agrees with gcc.
    C {
        /// Number of programs.
        #[arg(long, default_value_t = 400)]
        count: usize,
        /// The number from which all random choices follow.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Also compare the verdicts of this `bolide`.
        #[arg(long, value_name = "PROGRAM")]
        bolide: Option<PathBuf>,
        /// Ask for verdicts of one program in so many.
        #[arg(long, default_value_t = 10, value_name = "N")]
        every: usize,
        /// Folder for programs that show a difference.
        #[arg(long, default_value = "fuzz-findings", value_name = "DIR")]
        out: PathBuf,
        /// Seconds to shrink one program.
        #[arg(long, default_value_t = 30, value_name = "S")]
        shrink: u64,
        /// Findings of each kind to shrink.
        #[arg(long, default_value_t = 3, value_name = "N")]
        shown: usize,
    },
    /// Damaged C programs: nothing panics.
    CTexts {
        /// Programs to damage, beside generated ones.
        files: Vec<PathBuf>,
        /// Number of texts.
        #[arg(long, default_value_t = 2000)]
        count: usize,
        /// The number from which all random choices follow.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds that one text may take.
        #[arg(long, default_value_t = 20, value_name = "S")]
        limit: u64,
        /// Folder for texts that show a fault.
        #[arg(long, default_value = "fuzz-findings", value_name = "DIR")]
        out: PathBuf,
    },
    /// Random and mutated texts: nothing panics.
    Read {
        #[command(flatten)]
        options: Options,
        /// Also hand each text to this `bolide`.
        #[arg(long, value_name = "PROGRAM")]
        bolide: Option<PathBuf>,
    },
}

/// Runs scripts with several seeds; the number of findings.
fn replay_all(files: &[PathBuf], limit: Duration, seeds: u32) -> Result<u64, Message> {
    let mut findings = 0;
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        for seed in 0..seeds {
            if let Err(finding) = replay::replay(&text, limit, seed) {
                println!("{} with seed {seed}: {finding}", file.display());
                findings += 1;
            }
        }
    }
    Ok(findings)
}

/// The help of an option that names a theory.
fn theories() -> String {
    let names: Vec<&str> = generate::THEORIES.iter().map(|t| t.name).collect();
    format!("A theory, or `all`: {}", names.join(", "))
}

#[derive(Args)]
struct Options {
    #[arg(long, default_value = "all", help = theories())]
    theory: String,
    /// Number of problems, all theories together.
    #[arg(long, default_value_t = 1400)]
    count: usize,
    /// The number from which all random choices follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare with z3.
    #[arg(long)]
    z3: bool,
    /// Milliseconds for each query.
    #[arg(long, default_value_t = 2000, value_name = "MS")]
    limit: u64,
    /// Folder for failing scripts.
    #[arg(long, default_value = "fuzz-findings", value_name = "DIR")]
    out: PathBuf,
    /// Seconds to shrink one script.
    #[arg(long, default_value_t = 20, value_name = "S")]
    shrink: u64,
    /// Findings to shrink for each theory and kind.
    #[arg(long, default_value_t = 3, value_name = "N")]
    shown: u64,
}

impl Options {
    fn plan(&self) -> Result<Plan, Message> {
        let theories = generate::theories(&self.theory).ok_or(format!("unknown theory {}", self.theory))?;
        if self.z3 && !z3::available() {
            return Err("z3 is not installed".into());
        }
        std::fs::create_dir_all(&self.out).map_err(|e| format!("{}: {e}", self.out.display()))?;
        Ok(Plan {
            theories,
            count: self.count,
            seed: self.seed,
            z3: self.z3,
            limit: Duration::from_millis(self.limit),
            out: self.out.clone(),
            shrink: Duration::from_secs(self.shrink),
            shown: self.shown,
        })
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    guard::quiet_panics();
    let result = match &arguments.what {
        What::Solve(options) => options.plan().map(|p| campaign::formulas(&p)),
        What::Interpolate(options) => options.plan().map(|p| campaign::interpolation(&p)),
        What::Incremental(options) => options.plan().map(|p| campaign::queries(&p)),
        What::Replay { files, limit, seeds } => replay_all(files, Duration::from_millis(*limit), *seeds),
        What::C { count, seed, bolide, every, out, shrink, shown } => {
            c::campaign::programs(&c::campaign::Plan {
                count: *count,
                seed: *seed,
                bolide: bolide.clone().map(|b| (b, (*every).max(1))),
                out: out.clone(),
                shrink: Duration::from_secs(*shrink),
                shown: *shown,
            })
        }
        What::CTexts { files, count, seed, limit, out } => {
            c::texts::texts(*count, *seed, files, Duration::from_secs(*limit), out)
        }
        What::Read { options, bolide } => options.plan().map(|p| campaign::texts(&p, bolide.as_deref())),
    };
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("bolide-fuzz: {message}");
            ExitCode::from(2)
        }
    }
}
