//! Tidying of interpolants before they are handed out.

use bolide_base::Rational;
use bolide_term::{Linear, Op, Sort, Store, Term};
use rustc_hash::FxHashMap;

/// Junctions with more operands than this are not searched for bounds that belong together.
const LARGE_JUNCTION: usize = 1000;

/// The interpolant without the traces of how it was found: reads and fields that the solver kept unsimplified are simplified, two
/// bounds that meet become an equality, weaker bounds beside stronger ones vanish, bits are lifted to words.
pub(crate) fn tidy(store: &mut Store, t: Term) -> Term {
    let t = rebuild(store, t);
    let has_bits = store.post_order([t]).any(|u| matches!(store.op(u), Op::Bit(_)));
    if has_bits { bolide_term::bits_to_words(store, t) } else { t }
}

fn rebuild(store: &mut Store, t: Term) -> Term {
    let order: Vec<Term> = store.post_order([t]).collect();
    let mut memo: FxHashMap<Term, Term> = FxHashMap::default();
    for u in order {
        let args: Vec<Term> = store.args(u).iter().map(|a| memo[a]).collect();
        let new = match store.op(u) {
            Op::Select => store.select(args[0], args[1]),
            Op::Construct(c) => store.construct(store.sort_of(u), c, &args),
            Op::Field { constructor, field } => store.field(constructor, field, args[0]),
            Op::Is(c) => store.is_constructor(c, args[0]),
            Op::Eq if store.datatype(store.sort_of(args[0])).is_some() => store.eq(args[0], args[1]),
            Op::And => conjunction(store, &args),
            Op::Or => {
                let denied: Vec<Term> = args.iter().map(|&a| store.not(a)).collect();
                let all = conjunction(store, &denied);
                store.not(all)
            }
            _ => store.rebuild(u, &args),
        };
        memo.insert(u, new);
    }
    memo[&t]
}

/// Base terms with their coefficients.
type Form = Vec<(Term, Rational)>;

/// The bounds that a conjunction puts on one linear form.
#[derive(Default)]
struct Bounds {
    /// `form <= value`, strictly if the flag is set.
    upper: Option<(Rational, bool)>,
    /// `form >= value`, strictly if the flag is set.
    lower: Option<(Rational, bool)>,
}

/// A conjunction with the tightest bounds only.
fn conjunction(store: &mut Store, args: &[Term]) -> Term {
    let mut operands: Vec<Term> = Vec::new();
    let mut stack: Vec<Term> = args.iter().rev().copied().collect();
    while let Some(t) = stack.pop() {
        match store.op(t) {
            Op::And if operands.len() < LARGE_JUNCTION => stack.extend(store.args(t).iter().rev()),
            // A denied disjunction is a conjunction too.
            Op::Not if store.op(store.arg(t, 0)) == Op::Or && operands.len() < LARGE_JUNCTION => {
                let denied: Vec<Term> = store.args(store.arg(t, 0)).to_vec();
                for d in denied {
                    let n = store.not(d);
                    stack.push(n);
                }
            }
            _ => operands.push(t),
        }
    }
    let mut forms: Vec<(Form, Sort, Bounds)> = Vec::new();
    let mut position: FxHashMap<Form, usize> = FxHashMap::default();
    let mut out: Vec<Term> = Vec::new();
    for t in operands {
        let Some((form, value, is_upper, strict)) = bound(store, t) else {
            out.push(t);
            continue;
        };
        let next = forms.len();
        let n = *position.entry(form.clone()).or_insert(next);
        if n == next {
            forms.push((form, sort_of_atom(store, t), Bounds::default()));
        }
        let bounds = &mut forms[n].2;
        let side = if is_upper { &mut bounds.upper } else { &mut bounds.lower };
        let tighter = match side {
            None => true,
            Some((old, old_strict)) => {
                let order = value.cmp(old);
                let order = if is_upper { order } else { order.reverse() };
                order.is_lt() || order.is_eq() && strict && !*old_strict
            }
        };
        if tighter {
            *side = Some((value, strict));
        }
    }
    for (form, sort, bounds) in forms {
        let linear = |k: &Rational, sign: &Rational| {
            let mut l = Linear { constant: -k.clone(), terms: form.clone() };
            l.scale(sign);
            l
        };
        match (bounds.upper, bounds.lower) {
            (Some((u, false)), Some((l, false))) if u == l => {
                out.push(store.linear_eq(linear(&u, &Rational::ONE), sort));
            }
            (upper, lower) => {
                for (side, sign) in [(upper, Rational::ONE), (lower, Rational::MINUS_ONE)] {
                    let Some((k, strict)) = side else { continue };
                    out.push(if strict {
                        let opposite = store.linear_le(linear(&k, &-sign), sort);
                        store.not(opposite)
                    } else {
                        store.linear_le(linear(&k, &sign), sort)
                    });
                }
            }
        }
    }
    store.and(&out)
}

fn sort_of_atom(store: &Store, t: Term) -> Sort {
    let atom = store.literal(t).0;
    store.sort_of(store.arg(atom, 0))
}

/// An inequality as a bound on a form whose first coefficient is positive: form, value, upper?, strict?
fn bound(store: &Store, t: Term) -> Option<(Form, Rational, bool, bool)> {
    let atom = store.literal(t).0;
    if store.op(atom) != Op::Le {
        return None;
    }
    let mut linear = store.linear_difference(store.arg(atom, 0), store.arg(atom, 1));
    let mut strict = !store.literal(t).1;
    if strict {
        linear.scale(&Rational::MINUS_ONE);
        if sort_of_atom(store, t) == Sort::INT {
            linear.constant += &Rational::ONE;
            strict = false;
        }
    }
    let is_upper = linear.terms.first()?.1.is_positive();
    if !is_upper {
        linear.scale(&Rational::MINUS_ONE);
    }
    Some((linear.terms, -linear.constant, is_upper, strict))
}
