//! Random control programs, statement by statement: `impact` against all reachable states. In debug builds the engine
//! verifies every fact that it carries along a branch.

use bolide_base::{Budget, Stat};
use bolide_engine::Verdict;
use bolide_engine::program::impact;
use bolide_model::*;
use bolide_term::{Sort, Store, Term};
use bolide_testkit::Random;
use std::collections::HashSet;

const VARIABLES: usize = 3;
/// Variables are from 0 to this.
const LARGEST: i64 = 3;

/// What an edge does.
#[derive(Copy, Clone, Debug)]
enum Deed {
    Assign(usize, i64),
    Copy(usize, usize),
    /// Adds one, if the variable is not at its largest value.
    Increment(usize),
    Havoc(usize),
    Equal(usize, i64),
    Unequal(usize, i64),
    AtMost(usize, usize),
}

type State = [i64; VARIABLES];

impl Deed {
    fn random(random: &mut Random) -> Deed {
        let (x, y, k) = (random.below(VARIABLES), random.below(VARIABLES), random.below(4) as i64);
        match random.below(9) {
            0..3 => Deed::Assign(x, k),
            3 => Deed::Copy(x, y),
            4 => Deed::Increment(x),
            5 => Deed::Havoc(x),
            6 => Deed::Equal(x, k),
            7 => Deed::Unequal(x, k),
            _ => Deed::AtMost(x, y),
        }
    }

    fn successors(self, s: State) -> Vec<State> {
        let with = |x: usize, k: i64| {
            let mut s = s;
            s[x] = k;
            s
        };
        let only_if = |holds: bool| if holds { vec![s] } else { Vec::new() };
        match self {
            Deed::Assign(x, k) => vec![with(x, k)],
            Deed::Copy(x, y) => vec![with(x, s[y])],
            Deed::Increment(x) if s[x] == LARGEST => Vec::new(),
            Deed::Increment(x) => vec![with(x, s[x] + 1)],
            Deed::Havoc(x) => (0..=LARGEST).map(|k| with(x, k)).collect(),
            Deed::Equal(x, k) => only_if(s[x] == k),
            Deed::Unequal(x, k) => only_if(s[x] != k),
            Deed::AtMost(x, y) => only_if(s[x] <= s[y]),
        }
    }

    fn step(self, store: &mut Store, program: &mut Program, vars: &[VarId]) -> Step {
        let terms: Vec<Term> = vars.iter().map(|&v| program.vars[v].term).collect();
        let (one, largest) = (store.int(1), store.int(LARGEST));
        match self {
            Deed::Assign(x, k) => {
                let value = store.int(k);
                Step::assign(store, vars[x], value)
            }
            Deed::Copy(x, y) => Step::assign(store, vars[x], terms[y]),
            Deed::Increment(x) => {
                let sum = store.add(&[terms[x], one]);
                let guard = store.lt(terms[x], largest);
                Step { guard, ..Step::assign(store, vars[x], sum) }
            }
            Deed::Havoc(x) => {
                let (range, span) = (Some((0, LARGEST.into())), Span::default());
                let input = Input { name: "any".into(), sort: Sort::INT, range, preferred: None, span };
                let input = program.inputs.push(input);
                program.havoc(store, vars[x], input)
            }
            Deed::Equal(x, k) | Deed::Unequal(x, k) => {
                let value = store.int(k);
                let equal = store.eq(terms[x], value);
                let is_equal = matches!(self, Deed::Equal(..));
                Step::assume(if is_equal { equal } else { store.not(equal) })
            }
            Deed::AtMost(x, y) => Step::assume(store.le(terms[x], terms[y])),
        }
    }
}

/// Edges between numbered places; the entry is 0 and the error is 1.
fn random_edges(random: &mut Random, places: usize) -> Vec<(usize, usize, Deed)> {
    let mut edges = Vec::new();
    for x in 0..VARIABLES {
        edges.push((if x == 0 { 0 } else { places + x - 1 }, places + x, Deed::Assign(x, 0)));
    }
    edges.push((places + VARIABLES - 1, 2, Deed::Unequal(0, 9)));
    for from in 2..places {
        for _ in 0..1 + random.below(3) {
            edges.push((from, 2 + random.below(places - 2), Deed::random(random)));
        }
    }
    // The way to the error takes several tests.
    let (a, b) = (places + VARIABLES, places + VARIABLES + 1);
    edges.push((2 + random.below(places - 2), a, Deed::Equal(0, random.below(4) as i64)));
    edges.push((a, b, Deed::Equal(1, random.below(4) as i64)));
    edges.push((b, 1, Deed::Equal(2, random.below(4) as i64)));
    edges
}

fn is_reachable(edges: &[(usize, usize, Deed)]) -> bool {
    let start: State = [0; VARIABLES];
    let (mut seen, mut work) = (HashSet::from([(0, start)]), vec![(0, start)]);
    while let Some((at, s)) = work.pop() {
        for &(_, to, deed) in edges.iter().filter(|e| e.0 == at) {
            for next in deed.successors(s) {
                if seen.insert((to, next)) {
                    work.push((to, next));
                }
            }
        }
    }
    seen.iter().any(|&(at, _)| at == 1)
}

fn build(store: &mut Store, edges: &[(usize, usize, Deed)]) -> Program {
    let mut program = Program::new("main");
    let range = Some((0, LARGEST.into()));
    let vars: Vec<VarId> = (0..VARIABLES)
        .map(|i| program.variable(store, &format!("x{i}"), Sort::INT, VarKind::Global, range))
        .collect();
    let main = program.entry;
    let last = edges.iter().map(|e| e.0.max(e.1)).max().unwrap_or(0);
    let entry = program.main().entry;
    let mut places = vec![entry];
    places.extend((0..last).map(|_| program.procs[main].location(Span::default())));
    let error = program.properties.push(Property { name: "error".into(), span: Span::default() });
    program.procs[main].locations[places[1]].error = Some(error);
    for &(from, to, deed) in edges {
        let step = deed.step(store, &mut program, &vars);
        program.procs[main].step(places[from], places[to], step, Span::default());
    }
    program
}

#[test]
fn single_blocks_agree_with_all_reachable_states() {
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    let (mut safe, mut faulty, mut open) = (0, 0, 0);
    for round in 0..150 {
        let edges = random_edges(&mut random, 6 + round % 7);
        let mut store = Store::new();
        let program = build(&mut store, &edges);
        assert_eq!(program.check(&store), None);
        let config = impact::Config { short_ends: false, conjectures: false, ..impact::Config::default() };
        let budget = Budget::unlimited().with_steps(30_000);
        match impact::run(&mut store, &program, &config, &budget).0 {
            Verdict::Safe(_) => {
                assert!(!is_reachable(&edges), "missed an error: {edges:?}");
                safe += 1;
            }
            Verdict::Unsafe(trace) => {
                assert!(is_reachable(&edges), "made up an error: {edges:?}");
                let outcome = Runner::new(&store, &program, &trace.initial).replay(&store, &trace);
                assert!(matches!(outcome, Some(Outcome::Error(_))), "{outcome:?}");
                faulty += 1;
            }
            Verdict::Unknown(_) => open += 1,
        }
    }
    assert!(safe > 30 && faulty > 15 && open < 15, "{safe} safe, {faulty} faulty, {open} open");
}

/// A loop that goes round six hundred times, and an error behind it. `matters` says whether the error is excluded by what the loop counts,
/// or by another variable.
fn behind_a_loop(store: &mut Store, matters: bool) -> Program {
    let mut program = Program::new("main");
    let mut variable = |store: &mut Store, name: &str| {
        program.variable(store, name, Sort::INT, VarKind::Global, Some((-1000, 1000)))
    };
    let (left, state) = (variable(store, "left"), variable(store, "state"));
    let (main, entry) = (program.entry, program.main().entry);
    let [head, after, set, failed] = std::array::from_fn(|_| program.procs[main].location(Span::default()));
    let error = program.properties.push(Property { name: "error".into(), span: Span::default() });
    program.procs[main].locations[failed].error = Some(error);
    let [zero, one, two, three, many] = [0, 1, 2, 3, 600].map(|n| store.int(n));
    let counter = program.vars[left].term;
    let (one_less, goes_on) = (store.sub(counter, one), store.lt(zero, counter));
    let is_over = store.not(goes_on);
    let is_wrong = match matters {
        true => store.lt(counter, zero),
        false => store.eq(program.vars[state].term, three),
    };
    let steps = [
        (entry, head, Step::assign(store, left, many)),
        (head, head, Step { guard: goes_on, ..Step::assign(store, left, one_less) }),
        (head, after, Step::assume(is_over)),
        (after, set, Step::assign(store, state, two)),
        (set, failed, Step::assume(is_wrong)),
    ];
    for (from, to, step) in steps {
        program.procs[main].step(from, to, step, Span::default());
    }
    program
}

#[test]
fn loops_that_do_not_matter_are_not_unwound() {
    let config = impact::Config { short_ends: false, conjectures: false, ..impact::Config::default() };
    let vertices = |matters: bool| {
        let mut store = Store::new();
        let program = behind_a_loop(&mut store, matters);
        let (verdict, stats) = impact::run(&mut store, &program, &config, &Budget::unlimited());
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        match stats.get("vertices") {
            Some(Stat::Count(n)) => n,
            other => panic!("{other:?}"),
        }
    };
    assert!(vertices(false) < 20);
    vertices(true);
}
