//! `get-interpolants`: from the named partitions to the interpolants of the last refutation.

use super::{Last, Session};
use bolide_itp::{Tree, interpolate_refutation};
use bolide_smtlib::{InterpolationTree, print_symbol, print_term};
use bolide_term::Term;
use rustc_hash::FxHashMap;
use std::io::{self, Write};

impl<W: Write> Session<W> {
    pub(super) fn get_interpolants(&mut self, tree: &InterpolationTree) -> io::Result<()> {
        if !self.flag(":produce-interpolants") {
            return self.error("interpolants need (set-option :produce-interpolants true)");
        }
        if !matches!(self.last, Last::Unsat { .. }) {
            return self.error("there are no interpolants: the last answer was not unsat");
        }
        match self.interpolants(tree) {
            Ok(interpolants) => {
                let lines: Vec<String> =
                    interpolants.iter().map(|&i| print_term(&self.store, i).to_string()).collect();
                writeln!(self.out, "({})", lines.join("\n "))
            }
            Err(message) => self.error(&message),
        }
    }

    fn interpolants(&mut self, tree: &InterpolationTree) -> Result<Vec<Term>, String> {
        let (part_of, shape) = self.partition(tree)?;
        let config = bolide_itp::Config {
            system: self.options.system,
            farkas: self.options.farkas,
            verify: self.options.check || cfg!(debug_assertions),
            seed: self.options.seed,
        };
        if part_of.iter().all(Option::is_some) {
            let part_of: Vec<usize> = part_of.into_iter().flatten().collect();
            let refutation = self.refutation()?;
            return interpolate_refutation(
                &mut self.store,
                &refutation,
                &part_of,
                &shape,
                &config,
                &self.budget,
            )
            .map_err(|e| e.to_string());
        }
        // Some assertions were not named: the named ones alone must be unsatisfiable.
        let mut parts: Vec<Vec<Term>> = vec![Vec::new(); shape.len()];
        for (a, part) in self.assertions.iter().zip(part_of) {
            if let Some(p) = part {
                parts[p].push(a.term);
            }
        }
        let parts: Vec<Term> = parts.iter().map(|p| self.store.and(p)).collect();
        bolide_itp::interpolate_tree(&mut self.store, &parts, &shape, &config, &self.budget)
            .map_err(|e| e.to_string())
    }

    /// The part of each assertion (and assumption) and the tree of the parts.
    fn partition(&self, tree: &InterpolationTree) -> Result<(Vec<Option<usize>>, Tree), String> {
        let asserted = self.assertions.len();
        let assumed = match &self.last {
            Last::Unsat { assumptions } => assumptions.len(),
            _ => 0,
        };
        if tree.partitions.is_empty() {
            let part_of = (0..asserted + assumed).map(Some).collect();
            return Ok((part_of, Tree::sequence(asserted + assumed)));
        }
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        for (n, a) in self.assertions.iter().enumerate() {
            if let Some(name) = &a.name {
                by_name.insert(name, n);
            }
        }
        let mut part_of = vec![None; asserted + assumed];
        for (p, partition) in tree.partitions.iter().enumerate() {
            for name in &partition.names {
                let Some(&n) = by_name.get(name.as_str()) else {
                    return Err(format!("no assertion is named {}", print_symbol(name)));
                };
                if part_of[n].replace(p).is_some() {
                    return Err(format!("{} is in two partitions", print_symbol(name)));
                }
            }
        }
        let shape =
            Tree::from_subtrees(tree.subtree_start.clone()).ok_or("the partitions do not form a tree")?;
        Ok((part_of, shape))
    }
}
