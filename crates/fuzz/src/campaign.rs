//! Campaigns: many problems of some theories, counted, compared, and shrunk where they fail.

use crate::generate::{self, Theory};
use crate::guard::Watchdog;
use crate::interpolate::{self, CONFIGURATIONS};
use crate::report::{Finding, Kind, Tally};
use crate::shrink::shrink;
use crate::syntax::Script;
use crate::{incremental, read, solve, z3};
use bolide_base::Message;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a campaign is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The theories, in turn.
    pub theories: Vec<Theory>,
    /// Problems of all theories together.
    pub count: usize,
    /// The number from which all random choices follow.
    pub seed: u64,
    /// Is z3 asked too?
    pub z3: bool,
    /// Time for each query.
    pub limit: Duration,
    /// Where failing scripts go.
    pub out: PathBuf,
    /// Time to shrink one script.
    pub shrink: Duration,
    /// So many findings of a kind in a theory are shrunk; others are only counted.
    pub shown: u64,
}

/// Scripts that go to z3 together.
const BATCH: usize = 100;

impl Plan {
    fn problem_seed(&self, theory: usize, n: usize) -> u64 {
        self.seed.wrapping_mul(0x9e37_79b9) ^ ((theory as u64) << 48) ^ n as u64
    }

    /// Seeds of the solver vary as well.
    fn solver_seed(seed: u64) -> u32 {
        (seed % 7) as u32
    }

    fn per_theory(&self) -> usize {
        self.count.div_ceil(self.theories.len().max(1))
    }

    fn watchdog(&self) -> Watchdog {
        let limit = self.limit * 20 + Duration::from_secs(10);
        Watchdog::start(limit, self.out.join("stuck.smt2"))
    }
}

/// One theory's share of a campaign.
struct Share<'a> {
    plan: &'a Plan,
    theory: Theory,
    tally: Tally,
}

impl Share<'_> {
    /// Counts a finding, and shrinks and writes the first few of its kind.
    fn record(
        &mut self,
        n: usize,
        script: &Script,
        finding: &Finding,
        check: &dyn Fn(&Script) -> Option<Finding>,
    ) {
        let name = format!("! {}", finding.kind);
        self.tally.count(name.clone());
        if self.tally.get(&name) > self.plan.shown {
            return;
        }
        let same = |candidate: &Script| check(candidate).is_some_and(|f| f.kind == finding.kind);
        let small = shrink(script, self.plan.shrink, &mut |s| same(s));
        let found = check(&small).unwrap_or_else(|| finding.clone());
        let file = self.plan.out.join(format!("{}-{n}-{}.smt2", self.theory.name, finding.kind));
        let text = small.text(&format!("; {found}\n"));
        println!("{}: {found}\n{}", file.display(), indented(&text));
        write(&file, &text);
    }
}

fn write(file: &Path, text: &str) {
    if let Err(error) = std::fs::write(file, text) {
        eprintln!("{}: {error}", file.display());
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("    {l}")).collect::<Vec<_>>().join("\n")
}

/// Runs every theory's share and prints the counts; the number of findings.
fn run(plan: &Plan, share: &dyn Fn(&mut Share<'_>, &Watchdog, usize)) -> u64 {
    let watchdog = plan.watchdog();
    let mut total = Tally::default();
    for (k, &theory) in plan.theories.iter().enumerate() {
        let begin = Instant::now();
        let mut of_theory = Share { plan, theory, tally: Tally::default() };
        share(&mut of_theory, &watchdog, k);
        println!("{:<10} {} ({:.1} s)", theory.name, of_theory.tally, begin.elapsed().as_secs_f64());
        total.merge(&of_theory.tally);
    }
    println!("{:<10} {total}", "total");
    total.starting_with("! ")
}

/// A script that waits for z3's opinion: its number, itself, and what was answered.
type Awaited = (usize, Script, Vec<&'static str>);

/// Scripts that wait for z3's opinion on them.
struct Opinions {
    limit: Duration,
    waiting: Vec<Awaited>,
    texts: Vec<String>,
    running: Option<(z3::Batch, Vec<Awaited>)>,
}

impl Opinions {
    fn new(limit: Duration) -> Opinions {
        Opinions { limit, waiting: Vec::new(), texts: Vec::new(), running: None }
    }

    /// Asks z3 about a text; `script` is what is shrunk if it disagrees with `answers`.
    fn ask(
        &mut self,
        n: usize,
        script: &Script,
        text: String,
        answers: Vec<&'static str>,
    ) -> Vec<Disagreement> {
        self.waiting.push((n, script.clone(), answers));
        self.texts.push(text);
        if self.texts.len() < BATCH { Vec::new() } else { self.next_batch() }
    }

    /// Starts the batch that waits and fetches the one before it.
    fn next_batch(&mut self) -> Vec<Disagreement> {
        let out = self.fetch();
        let texts = std::mem::take(&mut self.texts);
        let waiting = std::mem::take(&mut self.waiting);
        match z3::Batch::start(&texts, self.limit) {
            Ok(batch) => self.running = Some((batch, waiting)),
            Err(error) => eprintln!("z3: {error}"),
        }
        out
    }

    fn fetch(&mut self) -> Vec<Disagreement> {
        let Some((batch, scripts)) = self.running.take() else { return Vec::new() };
        let Ok(all) = batch.answers() else { return Vec::new() };
        let pairs = scripts.into_iter().zip(all);
        pairs.filter_map(|((n, script, ours), theirs)| Disagreement::of(n, script, &ours, &theirs)).collect()
    }

    fn finish(&mut self) -> Vec<Disagreement> {
        let mut out = self.next_batch();
        out.extend(self.fetch());
        out
    }
}

/// A script on which z3 does not agree.
struct Disagreement {
    n: usize,
    script: Script,
    finding: Finding,
}

impl Disagreement {
    fn of(n: usize, script: Script, ours: &[&str], theirs: &[String]) -> Option<Disagreement> {
        disagreement(ours, theirs).map(|finding| Disagreement { n, script, finding })
    }
}

/// Compares answers; `unknown` agrees with everything.
fn disagreement(ours: &[&str], theirs: &[String]) -> Option<Finding> {
    if let Some(error) = theirs.iter().find(|l| l.starts_with("(error")) {
        return Some(Finding::new(Kind::Reader, format!("z3 says {error}")));
    }
    let differs = |(o, t): (&&str, &String)| {
        let opposite = matches!((*o, t.as_str()), ("sat", "unsat") | ("unsat", "sat"));
        opposite.then(|| Finding::new(Kind::Answers, format!("Bolide {o}, z3 {t}")))
    };
    ours.iter().zip(theirs).find_map(differs)
}

fn ask_z3(text: &str, ours: &[&str], limit: Duration) -> Option<Finding> {
    let (theirs, _) = z3::ask(text, limit).ok()?;
    disagreement(ours, &theirs)
}

/// Formulas.
pub fn formulas(plan: &Plan) -> u64 {
    run(plan, &|share, watchdog, k| {
        let mut opinions = Opinions::new(plan.limit);
        let mut disagreements = Vec::new();
        for n in 0..plan.per_theory() {
            let seed = plan.problem_seed(k, n);
            let script = generate::formula(share.theory, seed);
            let text = script.text("");
            watchdog.begin(&text);
            let outcome = solve::solve(&text, plan.limit, Plan::solver_seed(seed));
            watchdog.end();
            share.tally.count(outcome.answer);
            if outcome.time > plan.limit / 4 {
                share.tally.count("slow");
                slow(plan, share.theory, n, &text, outcome.time);
            }
            let check = |s: &Script| solve::solve(&s.text(""), plan.limit, Plan::solver_seed(seed)).finding;
            match outcome.finding {
                Some(finding) => share.record(n, &script, &finding, &check),
                None if plan.z3 => disagreements.extend(opinions.ask(n, &script, text, vec![outcome.answer])),
                None => {}
            }
        }
        disagreements.extend(if plan.z3 { opinions.finish() } else { Vec::new() });
        for d in disagreements {
            let seed = Plan::solver_seed(plan.problem_seed(k, d.n));
            share.record(d.n, &d.script, &d.finding, &|s| {
                let text = s.text("");
                let outcome = solve::solve(&text, plan.limit, seed);
                ask_z3(&text, &[outcome.answer], plan.limit)
            });
        }
    })
}

/// Writes a slow formula to a file and says how long z3 takes.
fn slow(plan: &Plan, theory: Theory, n: usize, text: &str, time: Duration) {
    let file = plan.out.join(format!("{}-{n}-slow.smt2", theory.name));
    write(&file, text);
    let by_z3 = if plan.z3 { z3::ask(text, plan.limit * 5).ok() } else { None };
    let by_z3 =
        by_z3.map_or(String::new(), |(a, t)| format!(", z3 {:.2} s ({})", t.as_secs_f64(), a.join(" ")));
    println!("{}: {:.2} s{by_z3}", file.display(), time.as_secs_f64());
}

/// Interpolation problems; `count` of them are unsatisfiable, as far as enough are found.
pub fn interpolation(plan: &Plan) -> u64 {
    run(plan, &|share, watchdog, k| {
        let mut opinions = Opinions::new(plan.limit);
        let mut disagreements = Vec::new();
        let (mut n, mut unsat) = (0, 0);
        while unsat < plan.per_theory() && n < 20 * plan.per_theory() {
            let seed = plan.problem_seed(k, n);
            let script = generate::interpolation_problem(share.theory, seed);
            let shown = n % CONFIGURATIONS.len();
            let run = |s: &Script| interpolate::interpolate(s, plan.limit, Plan::solver_seed(seed), shown);
            watchdog.begin(&script.text(""));
            let outcome = run(&script);
            watchdog.end();
            share.tally.count(if outcome.unsat { "unsat" } else { "sat or unknown" });
            share.tally.merge(&outcome.tally);
            unsat += usize::from(outcome.unsat);
            if let Some(finding) = outcome.finding {
                share.record(n, &script, &finding, &|s| run(s).finding);
            } else if plan.z3 && !outcome.interpolants.is_empty() {
                for text in interpolate::obligations(&script, &outcome.interpolants) {
                    disagreements.extend(opinions.ask(n, &script, text, vec!["unsat"]));
                }
            }
            n += 1;
        }
        disagreements.extend(if plan.z3 { opinions.finish() } else { Vec::new() });
        for d in disagreements {
            let seed = Plan::solver_seed(plan.problem_seed(k, d.n));
            let shown = d.n % CONFIGURATIONS.len();
            share.record(d.n, &d.script, &d.finding, &|s| {
                let outcome = interpolate::interpolate(s, plan.limit, seed, shown);
                if outcome.interpolants.is_empty() {
                    return None;
                }
                let texts = interpolate::obligations(s, &outcome.interpolants);
                texts.iter().find_map(|t| ask_z3(t, &["unsat"], plan.limit))
            });
        }
    })
}

/// Scripts of scopes and queries.
pub fn queries(plan: &Plan) -> u64 {
    run(plan, &|share, watchdog, k| {
        let mut opinions = Opinions::new(plan.limit);
        let mut disagreements = Vec::new();
        for n in 0..plan.per_theory() {
            let seed = plan.problem_seed(k, n);
            let script = generate::scripted_queries(share.theory, seed);
            let text = script.text("");
            watchdog.begin(&text);
            let result = incremental::incremental(&text, plan.limit, Plan::solver_seed(seed));
            watchdog.end();
            share.tally.count("scripts");
            match result {
                Ok(answers) => {
                    answers.iter().for_each(|a| share.tally.count(*a));
                    if plan.z3 {
                        disagreements.extend(opinions.ask(n, &script, text, answers));
                    }
                }
                Err(finding) => share.record(n, &script, &finding, &|s| {
                    incremental::incremental(&s.text(""), plan.limit, Plan::solver_seed(seed)).err()
                }),
            }
        }
        disagreements.extend(if plan.z3 { opinions.finish() } else { Vec::new() });
        for d in disagreements {
            let seed = Plan::solver_seed(plan.problem_seed(k, d.n));
            share.record(d.n, &d.script, &d.finding, &|s| {
                let text = s.text("");
                let answers = incremental::incremental(&text, plan.limit, seed).ok()?;
                ask_z3(&text, &answers, plan.limit)
            });
        }
    })
}

/// Texts of all kinds through the reader and, if a program is given, through `bolide smt`.
pub fn texts(plan: &Plan, program: Option<&Path>) -> u64 {
    let watchdog = plan.watchdog();
    let mut tally = Tally::default();
    for n in 0..plan.count {
        let text = read::text(plan.problem_seed(0, n));
        watchdog.begin(&String::from_utf8_lossy(&text));
        match read::read(&text, plan.limit) {
            Ok(read::Reading::Accepted) => tally.count("accepted"),
            Ok(read::Reading::Refused) => tally.count("refused"),
            Err(panic) => complain(plan, &mut tally, n, &text, panic.as_str()),
        }
        if let Some(program) = program
            && let Err(flaw) = through_program(program, &text, plan.limit)
        {
            complain(plan, &mut tally, n, &text, flaw.as_str());
        }
        watchdog.end();
    }
    println!("texts      {tally}");
    tally.starting_with("! ")
}

fn complain(plan: &Plan, tally: &mut Tally, n: usize, text: &[u8], flaw: &str) {
    tally.count("! panic");
    let file = plan.out.join(format!("text-{n}.smt2"));
    println!("{}: {flaw}", file.display());
    if let Err(error) = std::fs::write(&file, text) {
        eprintln!("{}: {error}", file.display());
    }
}

/// Runs `bolide smt` on a text; only its documented exit codes are fine.
fn through_program(program: &Path, text: &[u8], limit: Duration) -> Result<(), Message> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(program)
        .args(["smt", "--check", "--timeout", &limit.as_secs().max(1).to_string(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may have stopped reading at an error.
        let _ = stdin.write_all(text);
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let message = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0 | 65) if !message.contains("withdrawn") => Ok(()),
        code => Err(format!("exit code {code:?}: {}", message.lines().next().unwrap_or_default()).into()),
    }
}
