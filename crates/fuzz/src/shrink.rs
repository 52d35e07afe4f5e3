//! Making a failing script small: drop what it does not need, replace terms by smaller ones (delta debugging,
//! Zeller and Hildebrandt, on the structure of terms).

use crate::syntax::{Action, Expr, Script, Ty};
use std::time::{Duration, Instant};

/// The smallest script that was found, within the time, that still fails.
pub fn shrink(script: &Script, time: Duration, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut best = script.clone();
    let begin = Instant::now();
    loop {
        let before = best.size();
        for pass in [drop_actions, inline_definitions, rewrite_terms] {
            pass(&mut best, &mut |candidate| begin.elapsed() < time && fails(candidate));
        }
        if best.size() >= before || begin.elapsed() >= time {
            best.drop_unused();
            return best;
        }
    }
}

type Fails<'a> = &'a mut dyn FnMut(&Script) -> bool;

/// Keeps a candidate if it still fails.
fn attempt(best: &mut Script, mut candidate: Script, fails: Fails<'_>) -> bool {
    candidate.drop_unused();
    let keep = fails(&candidate);
    if keep {
        *best = candidate;
    }
    keep
}

/// Leaves out actions, in large chunks first.
fn drop_actions(best: &mut Script, fails: Fails<'_>) {
    let mut chunk = best.actions.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < best.actions.len() {
            let to = (at + chunk).min(best.actions.len());
            if !without(best, at..to).is_some_and(|c| attempt(best, c, fails)) {
                at = to;
            }
        }
        chunk /= 2;
    }
}

/// The script without some actions, if its scopes and its tree stay well formed.
fn without(script: &Script, range: std::ops::Range<usize>) -> Option<Script> {
    let mut out = script.clone();
    if let Some(tree) = &mut out.tree {
        // All actions are assertions.
        for at in range.clone().rev() {
            tree.remove(at);
            tree.iter_mut().filter(|f| **f > at).for_each(|f| *f -= 1);
        }
        bolide_itp::Tree::from_subtrees(tree.clone())?;
    }
    out.actions.drain(range);
    let mut depth = 0;
    for action in &out.actions {
        match action {
            Action::Push => depth += 1,
            Action::Pop if depth == 0 => return None,
            Action::Pop => depth -= 1,
            _ => {}
        }
    }
    (!out.actions.is_empty()).then_some(out)
}

/// Puts the bodies of definitions in the place of their names.
fn inline_definitions(best: &mut Script, fails: Fails<'_>) {
    for n in (0..best.definitions.len()).rev() {
        let Some((name, body)) = best.definitions.get(n).cloned() else { continue };
        let mut candidate = best.clone();
        candidate.definitions.remove(n);
        each_term(&mut candidate, &mut |e| e.replace_leaf(&name, &body));
        attempt(best, candidate, fails);
    }
}

/// Applies a function to every formula of a script.
fn each_term(script: &mut Script, f: &mut dyn FnMut(&Expr) -> Expr) {
    script.definitions.iter_mut().for_each(|(_, e)| *e = f(e));
    for action in &mut script.actions {
        match action {
            Action::Assert(e) => *e = f(e),
            Action::Check(assumptions) => assumptions.iter_mut().for_each(|e| *e = f(e)),
            Action::Push | Action::Pop => {}
        }
    }
}

/// Replaces subterms, those near the roots first.
fn rewrite_terms(best: &mut Script, fails: Fails<'_>) {
    let mut at = 0;
    while at < best.size() {
        let Some(old) = subterm_of(best, at) else {
            at += 1;
            continue;
        };
        let smaller = replacements(best, &old);
        let success = smaller.into_iter().any(|new| {
            let candidate = with_subterm(best, at, &new);
            attempt(best, candidate, fails)
        });
        if !success {
            at += 1;
        }
    }
}

/// What a term may be replaced by: always something smaller, or as small and simpler.
fn replacements(script: &Script, old: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    out.extend(constants(old.ty()).into_iter().filter(|c| c != old && (old.size() > 1 || !is_constant(old))));
    if old.args().is_empty() {
        return out;
    }
    let mut inner = Vec::new();
    descendants(old, old.ty(), &mut inner);
    inner.sort_by_key(Expr::size);
    inner.dedup();
    inner.truncate(12);
    out.extend(inner);
    let variable = script.declarations.iter().find(|d| d.args.is_empty() && d.result == *old.ty());
    out.extend(variable.map(|d| Expr::leaf(d.result.clone(), d.name.clone())));
    let variadic = ["and", "or", "+", "=", "distinct", "-", "<=", "<", ">=", ">"];
    if old.args().len() > 2 && variadic.contains(&old.head()) {
        for n in 0..old.args().len() {
            let mut args = old.args().to_vec();
            args.remove(n);
            out.push(Expr::new(old.ty().clone(), old.head(), args));
        }
    }
    out
}

fn is_constant(e: &Expr) -> bool {
    e.head().starts_with(|c: char| c == '#' || c.is_ascii_digit()) || matches!(e.head(), "true" | "false")
}

fn constants(ty: &Ty) -> Vec<Expr> {
    let leaf = |s: &str| Expr::leaf(ty.clone(), s);
    match ty {
        Ty::Bool => vec![leaf("true"), leaf("false")],
        Ty::Int => vec![leaf("0"), leaf("1")],
        Ty::Real => vec![leaf("0.0"), leaf("1.0")],
        Ty::Bv(w) => {
            let zeros = format!("#b{}", "0".repeat(*w as usize));
            let one = format!("#b{}1", "0".repeat(*w as usize - 1));
            vec![leaf(&zeros), leaf(&one)]
        }
        _ => Vec::new(),
    }
}

fn descendants(e: &Expr, ty: &Ty, out: &mut Vec<Expr>) {
    for a in e.args() {
        if a.ty() == ty {
            out.push(a.clone());
        }
        descendants(a, ty, out);
    }
}

/// The `at`-th subterm of a script, counting actions too.
fn subterm_of(script: &Script, at: usize) -> Option<Expr> {
    let mut found = None;
    let mut left = at;
    let mut copy = script.clone();
    each_term(&mut copy, &mut |e| {
        if found.is_none() {
            if left < e.size() {
                found = Some(subterm(e, left));
            } else {
                left -= e.size();
            }
        }
        e.clone()
    });
    found
}

fn subterm(e: &Expr, mut at: usize) -> Expr {
    if at == 0 {
        return e.clone();
    }
    at -= 1;
    for a in e.args() {
        if at < a.size() {
            return subterm(a, at);
        }
        at -= a.size();
    }
    e.clone()
}

fn with_subterm(script: &Script, at: usize, new: &Expr) -> Script {
    let mut out = script.clone();
    let mut left = Some(at);
    each_term(&mut out, &mut |e| match left {
        Some(n) if n < e.size() => {
            left = None;
            replaced(e, n, new)
        }
        Some(n) => {
            left = Some(n - e.size());
            e.clone()
        }
        None => e.clone(),
    });
    out
}

fn replaced(e: &Expr, at: usize, new: &Expr) -> Expr {
    if at == 0 {
        return new.clone();
    }
    let mut left = Some(at - 1);
    let args = e.args().iter().map(|a| match left {
        Some(n) if n < a.size() => {
            left = None;
            replaced(a, n, new)
        }
        Some(n) => {
            left = Some(n - a.size());
            a.clone()
        }
        None => a.clone(),
    });
    let args = args.collect();
    Expr::new(e.ty().clone(), e.head(), args)
}
