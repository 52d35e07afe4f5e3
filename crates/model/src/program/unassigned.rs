//! Which locals a procedure may read before it assigns them: those that are live at its entry.
//!
//! Almost all locals have an assignment that dominates everything that reads them. One walk over the dominator tree finds
//! these. The others are followed backwards from what reads them, one pair of location and variable at a time, so the cost
//! is that of their live ranges.

use crate::{Action, EdgeId, LocId, ProcId, Procedure, Program, VarId, VarKind};
use bolide_base::IdVec;
use bolide_term::{Func, Store, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an edge does to locals.
#[derive(Default)]
struct Flow {
    /// Locals that it reads in any case.
    reads: Vec<VarId>,
    /// Locals that it assigns.
    writes: Vec<VarId>,
    /// Locals that matter only if the first one is read later: pairs of what is assigned and what is read for that.
    feeds: Vec<(VarId, VarId)>,
}

struct Unassigned<'a> {
    proc: &'a Procedure,
    flows: IdVec<EdgeId, Flow>,
    incoming: IdVec<LocId, Vec<EdgeId>>,
    outgoing: IdVec<LocId, Vec<EdgeId>>,
    /// What is read behind the end.
    result: Option<VarId>,
}

impl Program {
    /// The locals that a procedure may read before it assigns them, parameters included: those live at its entry.
    /// `vars` are the variables [by symbol](Self::var_of_symbol).
    pub fn read_before_assigned(
        &self,
        store: &Store,
        vars: &FxHashMap<Func, VarId>,
        proc: ProcId,
    ) -> Vec<VarId> {
        let p = &self.procs[proc];
        let is_local = |v: VarId| self.vars[v].kind != VarKind::Global;
        let locals = |terms: Vec<Term>| -> Vec<VarId> {
            let symbols = store.symbols(terms);
            symbols.iter().filter_map(|f| vars.get(f).copied()).filter(|&v| is_local(v)).collect()
        };
        let flow = |action: &Action| match action {
            Action::Step(s) => {
                let (own, others): (Vec<_>, Vec<_>) = s.assigns.iter().copied().partition(|a| is_local(a.0));
                let reads = locals(others.iter().map(|a| a.1).chain([s.guard]).collect());
                let feeds = own.iter().flat_map(|a| locals(vec![a.1]).into_iter().map(|v| (a.0, v)));
                Flow { reads, feeds: feeds.collect(), writes: own.iter().map(|a| a.0).collect() }
            }
            Action::Call(c) => Flow {
                reads: locals(c.args.clone()),
                writes: c.result.into_iter().filter(|&v| is_local(v)).collect(),
                feeds: Vec::new(),
            },
        };
        let this = Unassigned {
            proc: p,
            flows: p.edges.iter().map(|e| flow(&e.action)).collect(),
            incoming: p.incoming(),
            outgoing: p.outgoing(),
            result: p.result.filter(|_| proc != self.entry),
        };
        let candidates = this.not_dominated();
        if candidates.is_empty() {
            return Vec::new();
        }
        let live = this.live_at_entry();
        let mut out: Vec<VarId> = candidates.into_iter().filter(|v| live.contains(v)).collect();
        out.sort_unstable();
        out
    }
}

impl Unassigned<'_> {
    /// The locations that can be reached, each after all that lead to it but for loops.
    fn reverse_post_order(&self) -> Vec<LocId> {
        let mut order = self.proc.post_order();
        // What cannot be reached comes behind the entry.
        order.truncate(order.iter().position(|&l| l == self.proc.entry).map_or(0, |n| n + 1));
        order.reverse();
        order
    }

    /// The locations that each location dominates immediately, after Cooper, Harvey and Kennedy.
    fn dominator_tree(&self) -> IdVec<LocId, Vec<LocId>> {
        let order = self.reverse_post_order();
        const UNKNOWN: usize = usize::MAX;
        let mut number: IdVec<LocId, usize> = self.proc.locations.iter().map(|_| UNKNOWN).collect();
        order.iter().enumerate().for_each(|(n, &l)| number[l] = n);
        let mut above = vec![UNKNOWN; order.len()];
        above[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (n, &l) in order.iter().enumerate().skip(1) {
                let mut new = UNKNOWN;
                for &e in &self.incoming[l] {
                    let from = number[self.proc.edges[e].from];
                    if from == UNKNOWN || above[from] == UNKNOWN {
                        continue;
                    }
                    let (mut a, mut b) = (from, if new == UNKNOWN { from } else { new });
                    while a != b {
                        if a > b {
                            a = above[a];
                        } else {
                            b = above[b];
                        }
                    }
                    new = a;
                }
                if above[n] != new {
                    above[n] = new;
                    changed = true;
                }
            }
        }
        let mut below: IdVec<LocId, Vec<LocId>> = self.proc.locations.iter().map(|_| Vec::new()).collect();
        order.iter().enumerate().skip(1).for_each(|(n, &l)| below[order[above[n]]].push(l));
        below
    }

    /// The locals that are read at some place which none of their assignments dominates.
    fn not_dominated(&self) -> FxHashSet<VarId> {
        let below = self.dominator_tree();
        let mut out = FxHashSet::default();
        let mut assigned: FxHashMap<VarId, usize> = FxHashMap::default();
        // Entering a location, or leaving it again.
        let mut stack = vec![(self.proc.entry, true)];
        while let Some((at, enters)) = stack.pop() {
            // Whoever comes here took the only edge that leads here.
            let writes = match &self.incoming[at][..] {
                [e] if at != self.proc.entry => &self.flows[*e].writes[..],
                _ => &[],
            };
            if !enters {
                for v in writes {
                    *assigned.entry(*v).or_default() -= 1;
                }
                continue;
            }
            writes.iter().for_each(|v| *assigned.entry(*v).or_default() += 1);
            let is_assigned = |v: &VarId| assigned.get(v).is_some_and(|&n| n > 0);
            for &e in &self.outgoing[at] {
                let flow = &self.flows[e];
                let reads = flow.reads.iter().chain(flow.feeds.iter().map(|f| &f.1));
                out.extend(reads.copied().filter(|v| !is_assigned(v)));
            }
            if at == self.proc.exit {
                out.extend(self.result.filter(|v| !is_assigned(v)));
            }
            stack.push((at, false));
            stack.extend(below[at].iter().map(|&l| (l, true)));
        }
        out
    }

    /// The locals that are live at the entry. What a local gets counts only if the local is read later.
    fn live_at_entry(&self) -> FxHashSet<VarId> {
        let mut live: FxHashSet<(LocId, VarId)> = FxHashSet::default();
        let mut work: Vec<(LocId, VarId)> = Vec::new();
        for (e, flow) in self.flows.iter_enumerated() {
            let from = self.proc.edges[e].from;
            work.extend(flow.reads.iter().map(|&v| (from, v)));
        }
        work.extend(self.result.map(|v| (self.proc.exit, v)));
        while let Some((at, v)) = work.pop() {
            if !live.insert((at, v)) {
                continue;
            }
            for &e in &self.incoming[at] {
                let (flow, from) = (&self.flows[e], self.proc.edges[e].from);
                if flow.writes.contains(&v) {
                    work.extend(flow.feeds.iter().filter(|f| f.0 == v).map(|f| (from, f.1)));
                } else {
                    work.push((from, v));
                }
            }
        }
        live.into_iter().filter(|p| p.0 == self.proc.entry).map(|p| p.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Step;
    use bolide_term::Sort;
    use bolide_testkit::Random;
    use std::collections::BTreeSet;

    /// The same by its definition: sets of live variables, until nothing changes.
    fn by_iteration(store: &Store, program: &Program, vars: &FxHashMap<Func, VarId>) -> Vec<VarId> {
        let p = program.main();
        let is_local = |v: VarId| program.vars[v].kind != VarKind::Global;
        let mut live: IdVec<LocId, BTreeSet<VarId>> = p.locations.iter().map(|_| BTreeSet::new()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for e in &p.edges {
                let Action::Step(s) = &e.action else { continue };
                let after = live[e.to].clone();
                let read = s.assigns.iter().filter(|a| !is_local(a.0) || after.contains(&a.0)).map(|a| a.1);
                let symbols = store.symbols(read.chain([s.guard]));
                let mut before = after.clone();
                s.assigns.iter().for_each(|a| _ = before.remove(&a.0));
                before.extend(symbols.iter().filter_map(|f| vars.get(f).copied()).filter(|v| is_local(*v)));
                let size = live[e.from].len();
                live[e.from].extend(before);
                changed |= live[e.from].len() > size;
            }
        }
        live[p.entry].iter().copied().collect()
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut random = Random::new(77);
        let mut found = 0;
        for _ in 0..400 {
            let mut store = Store::new();
            let mut program = Program::new("main");
            let main = program.entry;
            let mut vars = Vec::new();
            for n in 0..4 {
                let kind = if n == 0 { VarKind::Global } else { VarKind::Local(main) };
                vars.push(program.variable(&mut store, &format!("v{n}"), Sort::INT, kind, None));
            }
            let span = crate::Span::default();
            let mut locations = vec![program.main().entry, program.main().exit];
            locations.extend((0..6).map(|_| program.procs[main].location(span)));
            for _ in 0..9 {
                let mut step = Step::skip(&store);
                if random.below(3) == 0 {
                    let x = program.vars[vars[random.below(4)]].term;
                    let zero = store.int(0);
                    step.guard = store.le(zero, x);
                }
                if random.below(3) > 0 {
                    let one = store.int(1);
                    let x = program.vars[vars[random.below(4)]].term;
                    let value = if random.below(2) == 0 { one } else { store.add(&[x, one]) };
                    step.assigns.push((vars[random.below(4)], value));
                }
                let (from, to) = (locations[random.below(8)], locations[random.below(8)]);
                program.procs[main].step(from, to, step, span);
            }
            let symbols = program.var_of_symbol(&store);
            let unassigned = program.read_before_assigned(&store, &symbols, main);
            assert_eq!(unassigned, by_iteration(&store, &program, &symbols));
            found += usize::from(!unassigned.is_empty());
        }
        assert!(found > 20, "{found}");
    }
}
