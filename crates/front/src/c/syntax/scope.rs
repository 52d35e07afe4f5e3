//! Which identifiers name types, by scope.

use super::token::Symbol;

/// What an identifier is as far as the grammar cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// Not declared.
    Unknown,
    /// A type.
    Type,
    /// A variable, function, parameter or enumerator.
    Other,
}

/// The meanings in force, and what to go back to at the end of each scope.
pub(super) struct Scopes {
    meanings: Vec<Meaning>,
    changes: Vec<(Symbol, Meaning)>,
    /// The number of changes at the start of each open scope.
    open: Vec<usize>,
}

impl Scopes {
    /// The file scope, for so many symbols.
    pub fn new(symbols: usize) -> Scopes {
        Scopes { meanings: vec![Meaning::Unknown; symbols], changes: Vec::new(), open: Vec::new() }
    }

    /// The number of open scopes.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// What an identifier is here.
    pub fn get(&self, symbol: Symbol) -> Meaning {
        self.meanings[symbol.0 as usize]
    }

    /// Declares an identifier in the innermost scope.
    pub fn declare(&mut self, symbol: Symbol, meaning: Meaning) {
        let now = &mut self.meanings[symbol.0 as usize];
        if !self.open.is_empty() {
            self.changes.push((symbol, *now));
        }
        *now = meaning;
    }

    /// Starts a scope.
    pub fn open(&mut self) {
        self.open.push(self.changes.len());
    }

    /// Ends scopes until so many are left.
    pub fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let from = self.open.pop().unwrap_or(0);
            for (symbol, old) in self.changes.drain(from..).rev() {
                self.meanings[symbol.0 as usize] = old;
            }
        }
    }

    /// Ends the innermost scope.
    pub fn close(&mut self) {
        self.close_to(self.open.len().saturating_sub(1));
    }

    /// What the innermost scope declared.
    pub fn declared(&self) -> Vec<(Symbol, Meaning)> {
        let from = self.open.last().copied().unwrap_or(self.changes.len());
        self.changes[from..].iter().map(|&(symbol, _)| (symbol, self.get(symbol))).collect()
    }
}
