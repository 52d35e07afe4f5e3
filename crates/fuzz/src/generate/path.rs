//! Program paths: steps in static single assignment form with guards, and a claim at the end.

use super::Maker;
use crate::syntax::{Action, Expr, Ty};

/// A variable of the program; its value after step `k` is the symbol `name_k`.
struct StateVariable {
    name: String,
    ty: Ty,
    version: usize,
}

impl StateVariable {
    fn current(&self) -> Expr {
        Expr::leaf(self.ty.clone(), format!("{}_{}", self.name, self.version))
    }
}

impl Maker {
    /// A path of a few steps. Each step is one assertion: a guard over the old values, and the new values of the
    /// variables that it changes. Untouched variables keep their symbols.
    pub(super) fn path(&mut self) {
        self.declare_functions();
        // Paths never share terms of different steps by accident.
        self.sharing = false;
        let mut state = self.state();
        let initial = self.start(&state);
        self.script.actions.push(Action::Assert(initial));
        for _ in 0..2 + self.rng.below(5) {
            let step = self.step(&mut state);
            self.script.actions.push(Action::Assert(step));
        }
        let names: Vec<Expr> = state.iter().map(StateVariable::current).collect();
        let claim = self.over(&names, |maker| maker.literal(1));
        self.script.actions.push(Action::Assert(claim));
    }

    fn state(&mut self) -> Vec<StateVariable> {
        let sorts: Vec<Ty> = self.palette.iter().chain(&self.array_sorts).cloned().collect();
        let mut state = Vec::new();
        for (n, ty) in sorts.into_iter().enumerate() {
            for copy in 0..1 + self.rng.below(3) {
                let name = format!("s{n}{copy}");
                self.declare(format!("{name}_0"), Vec::new(), ty.clone());
                state.push(StateVariable { name, ty: ty.clone(), version: 0 });
            }
        }
        for n in 0..self.rng.below(3) + if state.is_empty() { 2 } else { 0 } {
            let name = format!("q{n}");
            self.declare(format!("{name}_0"), Vec::new(), Ty::Bool);
            state.push(StateVariable { name, ty: Ty::Bool, version: 0 });
        }
        state
    }

    /// Initial values of most variables.
    fn start(&mut self, state: &[StateVariable]) -> Expr {
        let mut facts = vec![Expr::leaf(Ty::Bool, "true")];
        for v in state {
            if self.rng.one_in(4) {
                continue;
            }
            let x = v.current();
            let value = match v.ty {
                Ty::Array(..) if self.rng.one_in(2) => continue,
                _ => self.constant(&v.ty),
            };
            let loose = matches!(v.ty, Ty::Int | Ty::Real) && self.rng.one_in(3);
            facts.push(Expr::bool(if loose { "<=" } else { "=" }, vec![x, value]));
        }
        Expr::bool("and", facts)
    }

    fn step(&mut self, state: &mut [StateVariable]) -> Expr {
        let names: Vec<Expr> = state.iter().map(StateVariable::current).collect();
        let mut facts = vec![Expr::leaf(Ty::Bool, "true")];
        if self.rng.one_in(2) {
            facts.push(self.over(&names, |maker| maker.literal(1)));
        }
        for v in state.iter_mut() {
            if self.rng.one_in(2) {
                continue;
            }
            let value = self.over(&names, |maker| match &v.ty {
                Ty::Array(index, element) => {
                    let a = maker.variable(&v.ty).unwrap_or_else(|| maker.constant(&v.ty));
                    let (i, e) = (maker.term(index, 1), maker.term(element, 1));
                    Expr::new(v.ty.clone(), "store", vec![a, i, e])
                }
                ty => maker.term(ty, 2),
            });
            v.version += 1;
            let x = v.current();
            self.declare(x.head().to_string(), Vec::new(), v.ty.clone());
            facts.push(Expr::bool("=", vec![x, value]));
        }
        Expr::bool("and", facts)
    }

    /// Makes a term in which only these variables occur.
    fn over(&mut self, names: &[Expr], make: impl FnOnce(&mut Maker) -> Expr) -> Expr {
        let all = std::mem::take(&mut self.script.declarations);
        let visible = |n: &str, args: &[Ty]| !args.is_empty() || names.iter().any(|v| v.head() == n);
        self.script.declarations = all.iter().filter(|d| visible(&d.name, &d.args)).cloned().collect();
        let before = self.script.declarations.len();
        let t = make(self);
        let new = self.script.declarations.split_off(before);
        self.script.declarations = all;
        for d in new {
            if !self.script.declarations.contains(&d) {
                self.script.declarations.push(d);
            }
        }
        t
    }
}
