//! Tidying of interpolants before they are handed out.

use bolide_term::{Op, Store, Term};
use rustc_hash::FxHashMap;

/// The interpolant without the traces of how it was found: reads that the solver kept unsimplified are
/// simplified, bits are lifted to words.
pub(crate) fn tidy(store: &mut Store, t: Term) -> Term {
    let t = simplify_reads(store, t);
    let has_bits = store.post_order([t]).any(|u| matches!(store.op(u), Op::Bit(_)));
    if has_bits { bolide_term::bits_to_words(store, t) } else { t }
}

fn simplify_reads(store: &mut Store, t: Term) -> Term {
    let order: Vec<Term> = store.post_order([t]).collect();
    if !order.iter().any(|&u| store.op(u) == Op::Select) {
        return t;
    }
    let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
    for u in order {
        let args: Vec<Term> = store.args(u).iter().map(|a| memo[a]).collect();
        let new = match store.op(u) {
            Op::Select => store.select(args[0], args[1]),
            _ => store.rebuild(u, &args),
        };
        memo.insert(u, new);
    }
    memo[&t]
}
