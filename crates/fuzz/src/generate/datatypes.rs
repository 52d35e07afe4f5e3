//! Datatypes: an enumeration, a record, a list and a tree, with fields of the other sorts of the problem.

use super::Maker;
use crate::syntax::{Constructor, Expr, Ty};

impl Maker {
    /// Declares some of the datatypes. Their fields are of sorts that were chosen before.
    pub(super) fn choose_datatypes(&mut self) {
        if !self.theory.datatypes {
            return;
        }
        let basic = if self.palette.is_empty() { Ty::Bool } else { self.value_sort() };
        let (first, second) = (basic.clone(), if self.rng.one_in(3) { Ty::Bool } else { basic });
        let field = |name: &str, ty: Ty| (name.to_string(), ty);
        let make = |name: &str, fields: Vec<(String, Ty)>| (name.to_string(), fields);
        let mut types: Vec<Vec<Constructor>> = Vec::new();
        types.push((0..2 + self.rng.below(2)).map(|n| make(&format!("e{n}"), Vec::new())).collect());
        let enumeration = Ty::Data(0);
        types.push(vec![make(
            "mk",
            vec![field("g0", first.clone()), field("g1", second.clone()), field("g2", enumeration)],
        )]);
        let list =
            vec![field("hd", if self.rng.one_in(3) { Ty::Data(1) } else { first }), field("tl", Ty::Data(2))];
        types.push(vec![make("nil", Vec::new()), make("cons", list)]);
        let node = vec![field("lt", Ty::Data(3)), field("rt", Ty::Data(3))];
        types.push(vec![
            make("leaf", vec![field("val", second)]),
            make("node", node),
            make("many", vec![field("all", Ty::Data(2))]),
        ]);
        let chosen = 1 + self.rng.below(types.len());
        let mut numbers: Vec<u8> = (0..types.len() as u8).collect();
        while numbers.len() > chosen {
            let n = self.rng.below(numbers.len());
            numbers.swap_remove(n);
        }
        self.script.datatypes = types;
        self.palette.extend(numbers.into_iter().map(Ty::Data));
    }

    /// An application of a constructor.
    pub(super) fn construction(&mut self, n: u8, depth: usize) -> Expr {
        let constructors = self.script.datatypes[n as usize].clone();
        let plain = constructors.iter().find(|(_, fields)| fields.iter().all(|(_, ty)| *ty != Ty::Data(n)));
        let (name, fields) = match self.rng.choose(&constructors) {
            Some(c) if depth > 0 => c.clone(),
            _ => plain.cloned().unwrap_or_default(),
        };
        let args = fields.iter().map(|(_, ty)| self.term(ty, depth.saturating_sub(1))).collect();
        Expr::new(Ty::Data(n), name, args)
    }

    /// A field of this sort of some value, if there is one.
    pub(super) fn selection(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let mut fitting: Vec<(u8, String)> = Vec::new();
        for (n, constructors) in self.script.datatypes.iter().enumerate() {
            let fields = constructors.iter().flat_map(|(_, fields)| fields);
            fitting.extend(fields.filter(|(_, f)| f == ty).map(|(name, _)| (n as u8, name.clone())));
        }
        let (n, name) = self.rng.choose(&fitting).cloned()?;
        let whole = self.term(&Ty::Data(n), depth);
        Some(Expr::new(ty.clone(), name, vec![whole]))
    }

    /// The question which constructor made a value.
    pub(super) fn tester(&mut self, n: u8, depth: usize) -> Expr {
        let constructors = self.script.datatypes[n as usize].clone();
        let name = self.rng.choose(&constructors).map_or("", |(name, _)| name.as_str()).to_string();
        let whole = self.term(&Ty::Data(n), depth);
        Expr::bool(format!("(_ is {name})"), vec![whole])
    }
}
