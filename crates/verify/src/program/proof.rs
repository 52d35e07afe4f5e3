//! Proofs about C programs, in the form that the engine had before it.

use bolide_base::Budget;
use bolide_cert::Section;
use bolide_cert::program::{
    ABSTRACTION, BLOCKS, BOXES, BY, CALLS, EXECUTION, NUMBERS, PLACES, RECURSION, ROUNDS, SHAPES, SINGLE,
    SKIPPED, SUMMARIES, UNWINDING, execute, prepare_unwinding, unwound, write_by_position, write_invariant,
    write_places, write_solution,
};
use bolide_engine::Checked;
use bolide_engine::horn::Solution;
use bolide_engine::program::Invariant;
use bolide_front::c::{Source, Task, shape};
use bolide_model::horn::{self as clauses, Contract};
use bolide_model::program::boxes;
use bolide_model::program::pass::{self, Abstraction, Blocks, EntryValues};
use bolide_model::program::unwind::Numbers;
use bolide_model::{LocId, Program, Trace};
use bolide_smt::{Answer, Solver};
use bolide_term::{Store, Term};

/// The effort for a formula over integers: what normal forms do not decide soon, words decide better.
const INTEGER_STEPS: u64 = 2_000_000;
/// The effort for the question whether all loops end, over integers: of loops that count, normal forms say so, and others go on.
const ENDING_STEPS: u64 = 100_000;
/// Once all loops are known to end, words have a share that is so many times larger.
const DECIDES: u32 = 3;

/// A proof, which the engine has checked against the form of the program that it is about.
pub(crate) enum Proof {
    /// An invariant of the prepared program.
    Invariant(Program, Checked<Invariant>),
    /// A solution of the clauses of the prepared program, with summaries of its procedures.
    Summaries(Box<Summaries>),
    /// An invariant of the program with its recursion bounded: calls deeper than that cannot happen.
    Bounded(usize, Program, Checked<Invariant>),
    /// An invariant of an over-approximation.
    Abstract(Abstraction, Program, Checked<Invariant>),
    /// An invariant of the program on words.
    Words(Program, Checked<Invariant>),
    /// An invariant of the program with calls skipped, prepared.
    Skipped(Program, Checked<Invariant>),
    /// There is one execution, and it ends without an error.
    Execution(Executed),
    /// Graphs of memory, which execution does not leave.
    Shapes(Shaped),
    /// All executions were followed to their ends.
    Unwinding(Ended),
    /// Boxes at loop heads, which execution does not leave.
    Boxes(Boxed),
}

/// Boxes that prove the program that was read, as they are written; they have been read back and checked.
pub(crate) struct Boxed(String);

impl Boxed {
    /// Looks for such boxes.
    pub fn new(store: &mut Store, task: &Task, budget: &Budget) -> Option<Boxed> {
        let (program, _) = prepare_unwinding(store, task, budget).ok()?;
        let text = boxes::write(&boxes::find(store, &program, budget).ok()?);
        let read = boxes::read(&text)?;
        boxes::check(store, &program, &read, budget).ok()?;
        Some(Boxed(text))
    }
}

/// Graphs of memory that prove the program that was read, as they are written; they have been read back and checked.
pub(crate) struct Shaped(String);

impl Shaped {
    /// Looks for such graphs, or says why there are none.
    pub fn new(task: &Task, budget: &Budget) -> Result<Shaped, shape::Failure> {
        let text = shape::write(&shape::find(&task.unit, budget)?);
        let read = shape::read(&task.unit, &text)?;
        shape::check(&task.unit, &read, budget)?;
        Ok(Shaped(text))
    }
}

/// The program that was read was executed to its end; inputs decide nothing in it.
pub(crate) struct Executed(());

impl Executed {
    /// Executes a program; `None` if it has more than one execution, or one that is too long or fails.
    pub fn new(store: &Store, task: &Task, budget: &Budget) -> Option<Executed> {
        execute(store, task, budget).ok().map(Executed)
    }
}

/// All executions of the program that was read come to their ends without an error, with loops that go round a bounded number of times.
pub(crate) struct Ended {
    numbers: Numbers,
    rounds: usize,
}

/// What is known of the executions in which loops go round a bounded number of times.
pub(crate) enum Unwinding {
    /// There are no others, and none reaches an error.
    Safe(Ended),
    /// One of them reaches an error.
    Unsafe(Trace),
    /// There are longer ones.
    Longer,
    /// It was not found out.
    Open,
}

impl Unwinding {
    /// Follows all executions of a program, which is the one that was read as it is unwound, in which loops go round at most so many times.
    /// Where loops end soon it is easy to say whether they go round more often; if it turns out not to be, `is_hard` is told.
    pub fn new(
        store: &mut Store,
        program: &Program,
        numbers: Numbers,
        rounds: usize,
        budget: &Budget,
        is_hard: &mut dyn FnMut(),
    ) -> Unwinding {
        let Ok(found) = unwound(store, program, numbers, rounds, budget) else { return Unwinding::Open };
        let mut ask = |formula: Term, steps: Option<u64>| {
            let budget = match steps {
                Some(steps) => &budget.clone().with_steps(steps),
                None => budget,
            };
            let mut solver = Solver::default();
            solver.assert(formula);
            match solver.check(store, budget) {
                Answer::Sat => {
                    let model = solver.model();
                    Reached::By(model.and_then(|m| found.executions.trace(store, program, m)))
                }
                Answer::Unsat => Reached::Never,
                Answer::Unknown(_) => Reached::Perhaps,
            }
        };
        let mut goes_on = ask(found.longer, Some(ENDING_STEPS));
        if matches!(goes_on, Reached::Perhaps) && numbers == Numbers::Words && !budget.exhausted() {
            is_hard();
            goes_on = ask(found.longer, None);
        }
        if matches!(goes_on, Reached::Never) && numbers == Numbers::Words {
            // All executions are there: what is left to ask decides the program.
            budget.claim(DECIDES);
        }
        let of_error = Some(INTEGER_STEPS).filter(|_| numbers == Numbers::Integers);
        match goes_on {
            Reached::Never => {}
            Reached::By(_) => return Unwinding::Longer,
            Reached::Perhaps => return Unwinding::Open,
        }
        for &(_, reached) in &found.errors {
            match ask(reached, of_error) {
                Reached::Never => {}
                Reached::By(Some(trace)) => return Unwinding::Unsafe(trace),
                Reached::By(None) | Reached::Perhaps => return Unwinding::Open,
            }
        }
        Unwinding::Safe(Ended { numbers, rounds })
    }
}

/// Does an execution of some kind exist?
enum Reached {
    Never,
    /// This one, if it leads into an error and can be followed.
    By(Option<Trace>),
    Perhaps,
}

/// A solution of the clauses of a program, and what it says about the procedures.
pub(crate) struct Summaries {
    /// The solution.
    pub solution: Solution,
    /// What it says about the locations of the main procedure.
    pub main: Vec<(LocId, Term)>,
    /// The program with variables for the values at the entries of procedures.
    pub entry: EntryValues,
    /// What is said of each procedure.
    pub contracts: Vec<Contract>,
}

impl Summaries {
    /// What a solution says.
    pub fn new(store: &mut Store, program: &Program, solution: Solution) -> Summaries {
        let entry = pass::remember_entry(store, program.clone());
        let Solution { horn, map, interpretation } = &solution;
        let contracts = clauses::Solution { horn, map, interpretation }.procedures(store, program, &entry);
        let main = solution.of_main(store, program);
        Summaries { solution, main, entry, contracts }
    }
}

impl Proof {
    /// What the proof says about the locations of the main procedure of the prepared program. Proofs about another form of the
    /// program say nothing about it.
    pub fn of_main(&self) -> &[(LocId, Term)] {
        match self {
            Proof::Invariant(_, invariant) => &invariant.formulas,
            Proof::Summaries(summaries) => &summaries.main,
            Proof::Bounded(..)
            | Proof::Abstract(..)
            | Proof::Words(..)
            | Proof::Skipped(..)
            | Proof::Execution(_)
            | Proof::Shapes(_)
            | Proof::Unwinding(_)
            | Proof::Boxes(_) => &[],
        }
    }

    /// The sections of a certificate; `None` if a name has a line break in it.
    pub fn sections(&self, store: &mut Store, source: &Source) -> Option<Vec<Section>> {
        let invariant = |text| Section { name: "invariant".into(), text };
        match self {
            Proof::Invariant(program, proof) | Proof::Skipped(program, proof) => {
                let text = write_invariant(store, &proof.formulas)?;
                let reachable: Vec<_> =
                    proof.formulas.iter().copied().filter(|(_, f)| *f != store.fls()).collect();
                let places = write_places(source, program, &reachable);
                Some(vec![invariant(text), Section { name: PLACES.into(), text: places }])
            }
            Proof::Summaries(s) => {
                let text = write_solution(store, &s.solution.horn, &s.solution.interpretation)?;
                Some(vec![invariant(text)])
            }
            Proof::Bounded(_, program, proof)
            | Proof::Abstract(_, program, proof)
            | Proof::Words(program, proof) => {
                Some(vec![invariant(write_by_position(store, program, &proof.formulas)?)])
            }
            Proof::Execution(_) | Proof::Unwinding(_) => Some(Vec::new()),
            Proof::Boxes(boxes) => Some(vec![Section { name: BOXES.into(), text: boxes.0.clone() }]),
            Proof::Shapes(shapes) => Some(vec![Section { name: SHAPES.into(), text: shapes.0.clone() }]),
        }
    }

    /// The options of a certificate that say which form of the program the proof is about.
    pub fn options(&self, blocks: Blocks) -> Vec<(String, String)> {
        let mut options: Vec<(String, String)> = match self {
            Proof::Invariant(..) => Vec::new(),
            Proof::Summaries(_) => vec![(RECURSION.into(), SUMMARIES.into())],
            Proof::Bounded(depth, ..) => return vec![(RECURSION.into(), depth.to_string())],
            Proof::Abstract(abstraction, ..) => vec![(ABSTRACTION.into(), abstraction.name().into())],
            Proof::Skipped(..) => vec![(CALLS.into(), SKIPPED.into())],
            Proof::Words(..) => return vec![(NUMBERS.into(), Numbers::Words.name().into())],
            Proof::Execution(_) => return vec![(BY.into(), EXECUTION.into())],
            Proof::Shapes(_) => return vec![(BY.into(), SHAPES.into())],
            Proof::Boxes(_) => return vec![(BY.into(), BOXES.into())],
            Proof::Unwinding(Ended { numbers, rounds }) => {
                return vec![
                    (BY.into(), UNWINDING.into()),
                    (NUMBERS.into(), numbers.name().into()),
                    (ROUNDS.into(), rounds.to_string()),
                ];
            }
        };
        if blocks == Blocks::Single {
            options.push((BLOCKS.into(), SINGLE.into()));
        }
        options
    }
}
