//! Statements: assignments, copies, calls, control flow.

use super::objects::{Func, Life, Place, Ty};
use super::program::{CALLBACKS, Generator};

impl Generator<'_> {
    /// A statement, if there is fuel for it.
    pub fn statement(&mut self) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        match self.rng.below(30) {
            0..=4 => self.assignment(),
            5..=7 => self.record_copy(),
            8 | 9 => self.pointer_assignment(),
            10..=12 => self.call(),
            13 => self.conditional(),
            14 | 15 => self.counted_loop(),
            16 => self.switch(),
            17 => {
                let e = self.expression(2);
                self.line(format!("note({e});"));
            }
            18..=23 => self.scenario(),
            _ => self.idiom(),
        }
    }

    /// Statements in a block of their own.
    pub fn block(&mut self, statements: usize) {
        let scope = self.vars.len();
        if self.rng.one_in(3) {
            self.local();
        }
        for _ in 0..statements {
            self.statement();
        }
        self.vars.truncate(scope);
    }

    fn assignment(&mut self) {
        let Some(p) = self.target() else { return };
        let e = self.expression(2);
        let other = self.target().filter(|o| o.text != p.text);
        let text = match self.rng.below(9) {
            0 => format!("{} {}= {e};", p.text, ["+", "-", "*", "&", "|", "^"][self.rng.below(6)]),
            1 => format!("{}{};", p.text, ["++", "--"][self.rng.below(2)]),
            2 => format!("note({} = {e});", p.text),
            3 => format!("note({} {}= {e});", p.text, ["+", "-", "^"][self.rng.below(3)]),
            4 => format!("note({}{});", p.text, ["++", "--"][self.rng.below(2)]),
            5 => match other {
                // The outer place must not depend on what the inner assignment changes.
                Some(o) if o.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') => {
                    format!("{} = {} = {e};", o.text, p.text)
                }
                _ => format!("{} = {e};", p.text),
            },
            _ => format!("{} = {e};", p.text),
        };
        self.line(text);
    }

    fn record_copy(&mut self) {
        let ty = match self.rng.below(self.records.len() + 1) {
            0 => match self.find_place(|p| p.ty == Ty::Callback) {
                Some(_) => Ty::Callback,
                None => return,
            },
            n => Ty::Record(n - 1),
        };
        let is_target = |p: &Place| p.ty == ty && p.writable;
        let (Some(a), Some(b)) = (self.find_place(is_target), self.place(&ty)) else { return };
        match self.rng.below(6) {
            0 if a.addressable && b.writable && b.addressable => {
                let t = self.name("t");
                self.line("{");
                self.line(format!("{} = {};", ty.declare(&t), a.text));
                // The places are found once, as a function that swaps would.
                let (x, y) = (self.name("x"), self.name("y"));
                self.line(format!("{} = &{};", ty.pointer().declare(&x), a.text));
                self.line(format!("{} = &{};", ty.pointer().declare(&y), b.text));
                self.line(format!("{t} = *{x}; *{x} = *{y}; *{y} = {t};"));
                self.line("}");
            }
            1 if a.addressable && b.addressable => {
                let f = ["memcpy", "memmove"][self.rng.below(2)];
                // Copying an object to itself by memcpy is undefined.
                let f = if a.text == b.text || f == "memcpy" { "memmove" } else { f };
                self.line(format!("{f}(&{}, &{}, sizeof({}));", a.text, b.text, a.text));
            }
            2 => {
                let c = self.expression(1);
                match self.place(&ty) {
                    Some(d) => self.line(format!("{} = ({c}) ? {} : {};", a.text, b.text, d.text)),
                    None => self.line(format!("{} = {};", a.text, b.text)),
                }
            }
            _ => self.line(format!("{} = {};", a.text, b.text)),
        }
    }

    fn pointer_assignment(&mut self) {
        let is_pointer = |p: &Place| matches!(p.ty, Ty::Ptr(_) | Ty::Callback) && p.writable;
        let Some(p) = self.find_place(is_pointer) else { return };
        let Ty::Ptr(to) = &p.ty else {
            let f = CALLBACKS[self.rng.below(4)];
            return self.line(format!("{} = {f};", p.text));
        };
        // A variable of this function may point to its locals, anything else only to what lives on.
        let own = p.life == Life::Local && self.vars.iter().any(|v| v.text == p.text);
        let to = (**to).clone();
        let fits = |q: &Place| q.ty == to && q.addressable && q.writable && (own || q.life == Life::Static);
        let Some(q) = self.find_place(fits) else { return };
        match self.rng.below(5) {
            0 => self.line(format!(
                "{} = ({})((uintptr_type)&{} + 4u - 4u);",
                p.text,
                p.ty.declare(""),
                q.text
            )),
            1 => self.line(format!("{} = (void *)&{};", p.text, q.text)),
            2 => {
                let pp = self.name("pp");
                self.line(format!(
                    "{{ {} = &{}; *{pp} = &{}; }}",
                    p.ty.pointer().declare(&pp),
                    p.text,
                    q.text
                ));
            }
            _ => self.line(format!("{} = &{};", p.text, q.text)),
        }
    }

    fn argument(&mut self, ty: &Ty) -> Option<String> {
        Some(match ty {
            Ty::Int(_) => self.expression(1),
            Ty::Callback => CALLBACKS[self.rng.below(4)].into(),
            Ty::Ptr(to) => {
                let to = (**to).clone();
                let place = self.find_place(|q| q.ty == to && q.addressable && q.writable)?;
                format!("&{}", place.text)
            }
            _ => self.place(ty)?.text,
        })
    }

    /// A call with all its arguments.
    fn call_text(&mut self, f: &Func) -> Option<String> {
        let arguments: Option<Vec<String>> = f.params.iter().map(|ty| self.argument(ty)).collect();
        Some(format!("{}({})", f.name, arguments?.join(", ")))
    }

    fn call(&mut self) {
        let Some(f) = self.rng.choose(&self.funcs).cloned() else { return };
        if self.loops > 1 {
            return;
        }
        let Some(call) = self.call_text(&f) else { return };
        match &f.result {
            Ty::Record(n) => {
                let field = self.records[*n].fields[0].clone();
                let is_target = |p: &Place| p.ty == f.result && p.writable;
                match self.find_place(is_target) {
                    // The place is found before the call or after it: it must not depend on what the call changes.
                    Some(p) if p.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') => {
                        self.line(format!("{} = {call};", p.text));
                    }
                    _ if matches!(field.ty, Ty::Int(_)) => self.line(format!("note({call}.{});", field.name)),
                    _ => self.line(format!("{call};")),
                }
            }
            _ if self.rng.one_in(3) => self.line(format!("if ({call} > 3) note(7); else note(8);")),
            _ => self.line(format!("note({call});")),
        }
    }

    fn conditional(&mut self) {
        let e = self.expression(2);
        self.line(format!("if ({e}) {{"));
        self.block(2);
        if self.rng.one_in(2) {
            self.line("} else {");
            self.block(2);
        }
        self.line("}");
    }

    fn counted_loop(&mut self) {
        if self.loops >= 2 {
            return;
        }
        let (i, n) = (self.name("i"), 2 + self.rng.below(3));
        self.loops += 1;
        let form = self.rng.below(3);
        match form {
            0 => self.line(format!("for (int {i} = 0; {i} < {n}; {i}++) {{")),
            1 => self.line(format!("{{ unsigned {i} = 0; while ({i} < {n}) {{")),
            _ => self.line(format!("{{ unsigned char {i} = 0; do {{")),
        }
        self.counters.push((i.clone(), n));
        self.block(2);
        if self.rng.one_in(4) && form == 0 {
            let e = self.expression(1);
            let jump = ["break", "continue"][self.rng.below(2)];
            self.line(format!("if ({e}) {jump};"));
            self.statement();
        }
        self.counters.pop();
        match form {
            0 => self.line("}"),
            1 => self.line(format!("{i}++; }} }}")),
            _ => self.line(format!("}} while (++{i} < {n}); }}")),
        }
        self.loops -= 1;
    }

    fn switch(&mut self) {
        let e = self.expression(1);
        self.line(format!("switch ({e}) {{"));
        let mut next = self.rng.between(-2, 2);
        for _ in 0..2 + self.rng.below(2) {
            let last = next + self.rng.between(0, 3);
            self.line(if last > next { format!("case {next} ... {last}:") } else { format!("case {next}:") });
            next = last + 1;
            self.statement();
            if !self.rng.one_in(3) {
                self.line("break;");
            }
        }
        if self.rng.one_in(2) {
            self.line("default:");
            self.statement();
        }
        self.line(";");
        self.line("}");
    }
}
