//! Functions that write values to files (`printf` and its kin): what a format makes of their arguments, and that it stores nothing.

use super::ctype;
use super::format::{Amount, amount};
use super::object::{Value, Whole};
use super::{Lower, Result, Symbol, UNSUPPORTED, names, unsupported};
use crate::c::hir::Terminator;
use crate::c::syntax::ast::{self, ExprKind};
use crate::c::syntax::source::Issue;
use bolide_model::Span;

/// What a format makes of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Its value is written, or says how the next one is.
    Value,
    /// The string that it leads to is read, up to its end or to as many characters as are asked for.
    Text(Option<Amount>),
    /// The same for a string of wide characters.
    WideText(Option<Amount>),
}

/// What a format makes of the arguments behind it; nothing if it has a conversion that is not known.
fn uses(format: &str) -> Option<Vec<Use>> {
    let mut out = Vec::new();
    let mut rest = format.chars().map(u32::from).peekable();
    let is = |u: u32, set: &str| set.chars().any(|c| u == c as u32);
    while let Some(u) = rest.next() {
        if !is(u, "%") {
            continue;
        }
        while rest.next_if(|&u| is(u, "-+ #0'I")).is_some() {}
        let width = amount(&mut rest)?;
        let has_precision = rest.next_if(|&u| is(u, ".")).is_some();
        let precision = if has_precision { Some(amount(&mut rest)?) } else { None };
        let numbers = [Some(width), precision].into_iter().filter(|&n| n == Some(Amount::Argument));
        out.extend(numbers.map(|_| Use::Value));
        let mut is_wide = false;
        while let Some(length) = rest.next_if(|&u| is(u, "hlLqjztZ")) {
            is_wide |= is(length, "l");
        }
        match char::from_u32(rest.next()?)? {
            '%' | 'm' => {}
            's' if !is_wide => out.push(Use::Text(precision)),
            's' | 'S' => out.push(Use::WideText(precision)),
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'c' | 'C' | 'p' => out.push(Use::Value),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => out.push(Use::Value),
            _ => return None,
        }
    }
    Some(out)
}

/// Are the values of a function that writes them in a list of arguments?
fn takes_list(name: &str) -> bool {
    names::plain(name).trim_start_matches('_').starts_with('v')
}

/// Does a format for writing store how much was written?
fn stores_count(format: &str) -> bool {
    let mut rest = format.chars();
    while rest.by_ref().any(|c| c == '%') {
        let is_modifier = |c: &char| c.is_ascii_digit() || "-+ #'I*.$_hlLqjztZw".contains(*c);
        if rest.by_ref().find(|c| !is_modifier(c)) == Some('n') {
            return true;
        }
    }
    false
}

impl<'a> Lower<'a> {
    /// Does a function print and nothing else, whatever it is given? No text of the program asks for the count of what was
    /// written, and what is read is not checked.
    pub(super) fn is_only_printer(&self, name: &str) -> bool {
        let asks = |e: &ast::Expr| match &e.kind {
            ExprKind::String(s) => {
                let text: String = s.units.iter().filter_map(|&u| char::from_u32(u)).collect();
                stores_count(&text)
            }
            _ => false,
        };
        names::printer(names::plain(name)).is_some()
            && !self.checks_reads()
            && !self.texts.iter().any(|t| t.tree.exprs.iter().any(asks))
    }

    /// Evaluates the arguments of a function that writes values, reads the strings among them, and refuses formats that could
    /// store something.
    pub(super) fn print(
        &mut self,
        name: &str,
        format: usize,
        args: &'a [ast::ExprId],
        span: Span,
    ) -> Result<()> {
        let text = args.get(format).and_then(|&a| self.format(a));
        if text.as_deref().is_some_and(stores_count) {
            return unsupported(span, "the conversion %n");
        }
        let mut has_pointers = takes_list(name);
        let mut values: Vec<Option<Value>> = vec![None; args.len()];
        for (n, &a) in args.iter().enumerate().rev() {
            if let Some(inner) = self.arguments_of_computed(a) {
                // The value itself is not needed.
                inner.iter().try_for_each(|&i| self.effect(i))?;
                continue;
            }
            let whole = self.whole_value(a)?;
            self.read_whole(&whole, span)?;
            let Whole::Scalar(value) = whole else { continue };
            has_pointers |= n > format && self.ctypes.is_pointer(value.ty);
            if self.checks_reads() || n == format && has_pointers {
                values[n] = Some(Value { e: self.saved(value.e, span)?, ..value });
            }
        }
        if self.checks_reads() && !self.is_unevaluated {
            return self.read_printed(name, text.as_deref(), &values[format..], has_pointers, span);
        }
        match values.get(format).copied().flatten() {
            Some(format) if text.is_none() && has_pointers => self.refuse_stores(name, format, span),
            _ => Ok(()),
        }
    }

    /// A function that writes values reads its format, and the strings that the arguments behind it lead to.
    fn read_printed(
        &mut self,
        name: &str,
        text: Option<&str>,
        values: &[Option<Value>],
        has_pointers: bool,
        span: Span,
    ) -> Result<()> {
        let (Some(&format), rest) = (values.first(), values.get(1..).unwrap_or(&[])) else { return Ok(()) };
        let Some(text) = text else {
            if has_pointers {
                self.leave_strings_unread(name, "a format that is not a literal", span)?;
            }
            let Some(format) = format else { return Ok(()) };
            self.read_string(format, span)?;
            return if has_pointers { self.refuse_stores(name, format, span) } else { Ok(()) };
        };
        let Some(uses) = uses(text) else {
            return if has_pointers { self.leave_strings_unread(name, "this format", span) } else { Ok(()) };
        };
        if takes_list(name) && uses.iter().any(|u| *u != Use::Value) {
            return self.leave_strings_unread(name, "strings in a list of arguments", span);
        }
        for (n, u) in uses.into_iter().enumerate() {
            let precision = match u {
                Use::Value => continue,
                Use::Text(precision) | Use::WideText(precision) => precision,
            };
            let string = rest.get(n).copied().flatten().filter(|s| self.ctypes.is_pointer(s.ty));
            let Some(string) = string else {
                return unsupported(span, format_args!("'{name}' of a string that is not a pointer"));
            };
            let size_t = self.ctypes.size_t();
            let most = match precision {
                None => None,
                Some(Amount::Fixed(most)) => Some(self.int_of(most, size_t, span)),
                Some(Amount::Argument) => n.checked_sub(1).and_then(|n| rest.get(n).copied().flatten()),
            };
            match (matches!(u, Use::WideText(_)), most) {
                (false, None) => self.read_text(string, span)?,
                // A negative precision counts as none: it is a very large number of characters.
                (false, Some(most)) => _ = self.call_model("strnlen", &[string, most], span)?,
                (true, None) => _ = self.call_model("wcslen", &[string], span)?,
                // Multibyte characters are counted, of which a wide one may need several.
                (true, Some(_)) => self.leave_strings_unread(name, "parts of wide strings", span)?,
            }
        }
        Ok(())
    }

    /// A string is read up to its end, whatever the type of its address.
    fn read_text(&mut self, string: Value, span: Span) -> Result<()> {
        let char = self.ctypes.char();
        let pointer = self.ctypes.pointer_to(char);
        let string = self.converted(string, pointer, span)?;
        self.read_string(string, span)
    }

    /// It is not known which strings a function reads. Where every access is to be checked, that is refused.
    fn leave_strings_unread(&mut self, name: &str, with: &str, span: Span) -> Result<()> {
        if self.properties_wanted.deref {
            return unsupported(span, format_args!("'{name}' of a pointer with {with}"));
        }
        self.assume_that(
            format!("strings that '{name}' reads because of {with} have been set and end in their objects"),
            span,
        );
        Ok(())
    }

    /// The arguments of a call of a function of numbers whose results are not computed here.
    fn arguments_of_computed(&self, e: ast::ExprId) -> Option<&'a [ast::ExprId]> {
        let ExprKind::Call(callee, args) = &self.tree.exprs[e].kind else { return None };
        let ExprKind::Name(name) = &self.tree.exprs[*callee].kind else { return None };
        let f = match self.find(name) {
            Some(Symbol::Func(f)) => *f,
            _ => return None,
        };
        let is_number = |q: ctype::Q| self.ctypes.is_float(q.ty);
        let is_of_numbers =
            self.ctypes.function(self.cfuncs[f]).is_some_and(|ty| is_number(ty.result) && !ty.variadic);
        let is_unknown = self.funcs[f].blocks.is_empty() && !self.defined.contains(name.as_ref());
        let is_right = names::is_computed(names::plain(name)) && names::refused(names::plain(name)).is_none();
        (is_of_numbers && is_unknown && is_right).then_some(args.as_slice())
    }

    /// No execution may come here with a format that stores how much was written.
    fn refuse_stores(&mut self, name: &str, format: Value, span: Span) -> Result<()> {
        let stores = self.call_model("__put_stores", &[format], span)?;
        let (bad, good) = (self.block(), self.block());
        self.end(Terminator::Branch(stores.e, bad, good), span, bad);
        let message = format!("{UNSUPPORTED}the conversion %n in the format of '{name}'");
        self.stop_here(Issue { span, message });
        self.body().current = good;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_formats_read() {
        let precision = |n| Some(Amount::Fixed(n));
        assert_eq!(uses("%.2f seconds%%"), Some(vec![Use::Value]));
        assert_eq!(uses("%-5s|%.3s"), Some(vec![Use::Text(None), Use::Text(precision(3))]));
        let all = vec![Use::Value, Use::Value, Use::Text(Some(Amount::Argument)), Use::WideText(None)];
        assert_eq!(uses("%*.*s %ls"), Some(all));
        assert_eq!(uses("%m %p %Lf %zu"), Some(vec![Use::Value; 3]));
        assert_eq!(uses("%2$s"), None);
        assert_eq!(uses("100%"), None);
    }
}
