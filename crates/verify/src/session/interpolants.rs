//! `get-interpolants`: from the named partitions to the interpolants of the last refutation.

use super::{Last, Session};
use bolide_itp::{Tree, interpolate_refutation};
use bolide_smt::NoRefutation;
use bolide_smtlib::{InterpolationTree, print_symbol, print_term};
use bolide_term::Term;
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::{self, Write};

/// Why there are no interpolants.
enum NoInterpolants {
    /// No assertion has this name.
    NoAssertion(String),
    /// This assertion is in two partitions.
    Twice(String),
    /// The partitions do not form a tree.
    NoTree,
    /// There is no refutation to read them off.
    Refutation(NoRefutation),
    /// They cannot be read off the refutation.
    Failure(bolide_itp::Failure),
}

impl fmt::Display for NoInterpolants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoInterpolants::NoAssertion(name) => write!(f, "no assertion is named {}", print_symbol(name)),
            NoInterpolants::Twice(name) => write!(f, "{} is in two partitions", print_symbol(name)),
            NoInterpolants::NoTree => f.write_str("the partitions do not form a tree"),
            NoInterpolants::Refutation(error) => error.fmt(f),
            NoInterpolants::Failure(failure) => failure.fmt(f),
        }
    }
}

impl<W: Write> Session<W> {
    pub(super) fn get_interpolants(&mut self, tree: &InterpolationTree) -> io::Result<()> {
        if !self.interpolating() {
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
            Err(flaw) => self.error(&flaw.to_string()),
        }
    }

    fn interpolants(&mut self, tree: &InterpolationTree) -> Result<Vec<Term>, NoInterpolants> {
        let (part_of, shape) = self.partition(tree)?;
        let config = bolide_itp::Config {
            system: self.options.system,
            farkas: self.options.farkas,
            verify: self.options.check || cfg!(debug_assertions),
            seed: self.options.seed,
        };
        if part_of.iter().all(Option::is_some) {
            let part_of: Vec<usize> = part_of.into_iter().flatten().collect();
            let refutation = self.refutation().map_err(NoInterpolants::Refutation)?;
            return interpolate_refutation(
                &mut self.store,
                &refutation,
                &part_of,
                &shape,
                &config,
                &self.budget,
            )
            .map_err(NoInterpolants::Failure);
        }
        let mut parts: Vec<Vec<Term>> = vec![Vec::new(); shape.len()];
        let mut background = Vec::new();
        for (a, part) in self.assertions.iter().zip(part_of) {
            match part {
                Some(p) => parts[p].push(a.term),
                None => background.push(a.term),
            }
        }
        // The named ones alone may be unsatisfiable. If not, the others are common to all parts.
        let named: Vec<Term> = parts.iter().map(|p| self.store.and(p)).collect();
        let found = bolide_itp::interpolate_tree(&mut self.store, &named, &shape, &config, &self.budget);
        if let Ok(interpolants) = found {
            return Ok(interpolants);
        }
        parts.iter_mut().for_each(|part| part.extend(&background));
        let all: Vec<Term> = parts.iter().map(|p| self.store.and(p)).collect();
        bolide_itp::interpolate_tree(&mut self.store, &all, &shape, &config, &self.budget)
            .map_err(NoInterpolants::Failure)
    }

    /// The part of each assertion (and assumption) and the tree of the parts.
    fn partition(&self, tree: &InterpolationTree) -> Result<(Vec<Option<usize>>, Tree), NoInterpolants> {
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
                    return Err(NoInterpolants::NoAssertion(name.clone()));
                };
                if part_of[n].replace(p).is_some() {
                    return Err(NoInterpolants::Twice(name.clone()));
                }
            }
        }
        let shape = Tree::from_subtrees(tree.subtree_start.clone()).ok_or(NoInterpolants::NoTree)?;
        Ok((part_of, shape))
    }
}
