//! The checker accepts what is inferred, and rejects partitions that were damaged.

use super::{Partition, Target, check, infer};
use crate::c::hir::Unit;
use crate::c::{Options, load};
use bolide_term::Store;

const PROGRAM: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
    extern void *malloc(unsigned); extern void *memcpy(void *, const void *, unsigned);\n\
    struct L { struct L *next; int v; int *p; };\n\
    struct S { int n; int a[4]; int m; };\n\
    int f(int x) { return x + 1; }\n\
    int g(int x) { return x - 1; }\n\
    int (*table[2])(int) = {f, g};\n\
    struct L *push(struct L *l, int *p) { struct L *n = malloc(sizeof *n); n->next = l; n->p = p; n->v = *p; return n; }\n\
    int main(void) {\n\
      int x = 1, y = 2, i = __VERIFIER_nondet_int() & 1; struct S s[2], t; struct L *l = push(push(0, &x), &y);\n\
      s[0].n = s[1].n = 5; s[i].a[2] = 3; s[1].m = 4; t = s[i]; memcpy(&t.a[1], &s[0].a[1], 8);\n\
      *l->next->p = table[i](7);\n\
      if (t.n != 5 || x == 0) reach_error();\n\
      return 0; }";

fn unit(text: &str) -> Unit {
    let task = load(&mut Store::new(), "t.c", text, &Options::default());
    task.unwrap_or_else(|e| panic!("{e}")).unit
}

fn accepted(unit: &Unit, partition: &Partition) -> bool {
    check(unit, partition).is_ok()
}

/// Damages a partition in every way of a kind; says how often, and all of these must be rejected.
fn rejected(unit: &Unit, what: &str, ways: impl Iterator<Item = Partition>) -> usize {
    let mut count = 0;
    for damaged in ways {
        assert!(!accepted(unit, &damaged), "{what} {count}");
        count += 1;
    }
    count
}

#[test]
fn what_is_inferred_is_accepted() {
    let unit = unit(PROGRAM);
    assert!(accepted(&unit, &infer(&unit)));
}

#[test]
fn a_lost_callee_is_noticed() {
    let unit = unit(PROGRAM);
    let whole = infer(&unit);
    let calls: Vec<_> = whole.candidates.iter().filter(|c| !c.1.is_empty()).map(|c| *c.0).collect();
    let without = |e| {
        let mut p = whole.clone();
        p.candidates.get_mut(&e).expect("a call").pop();
        p
    };
    assert_eq!(rejected(&unit, "callee", calls.into_iter().map(without)), 1);
}

#[test]
fn a_lost_slot_is_noticed() {
    let unit = unit(PROGRAM);
    let whole = infer(&unit);
    let slots: Vec<_> = whole
        .classes
        .iter_enumerated()
        .flat_map(|(id, c)| c.slots.keys().map(move |&offset| (id, offset)))
        .collect();
    let without = |(id, offset)| {
        let mut p: Partition = whole.clone();
        p.classes[id].slots.remove(&offset);
        p
    };
    assert!(rejected(&unit, "slot", slots.into_iter().map(without)) > 5);
}

#[test]
fn a_variable_in_another_class_or_at_another_offset_is_noticed() {
    let unit = unit(PROGRAM);
    let whole = infer(&unit);
    let named =
        |name: &str| unit.vars.ids().find(|&v| unit.vars[v].name.ends_with(name)).expect("a variable");
    let vars = [named("::s"), named("::t"), named("::l"), named("::x"), named("table")];
    let split = vars.iter().map(|&v| {
        let mut p = whole.clone();
        let class = p.classes.push(p.classes[p.vars[v].class].clone());
        p.vars[v].class = class;
        p
    });
    assert_eq!(rejected(&unit, "class", split), 5);
    let moved = vars.iter().map(|&v| {
        let mut p = whole.clone();
        p.vars[v].offset += 1;
        p
    });
    assert_eq!(rejected(&unit, "offset", moved), 5);
}

#[test]
fn a_value_that_leads_elsewhere_is_noticed() {
    let unit = unit(PROGRAM);
    let whole = infer(&unit);
    // Where nothing is stored or read through a value, nothing depends on it; but all pointers here are used.
    let claimed: Vec<_> = whole.values.ids().filter(|&e| whole.values[e].is_some()).collect();
    let inhabited = |e: &_| {
        let target: Target = whole.values[*e].expect("a claim");
        let class = &whole.classes[target.class];
        !class.components.is_empty() || !class.functions.is_empty()
    };
    let lost = claimed.into_iter().filter(inhabited).map(|e| {
        let mut p = whole.clone();
        p.values[e] = None;
        p
    });
    assert!(rejected(&unit, "value", lost) > 5);
}

#[test]
fn cells_that_are_too_large_or_overlap_are_noticed() {
    let unit = unit(PROGRAM);
    let whole = infer(&unit);
    let used: Vec<_> = whole.components.ids().collect();
    let wider = used.iter().map(|&k| {
        let mut p = whole.clone();
        p.components[k].end += 1;
        p
    });
    assert!(rejected(&unit, "wide cell", wider) > 5);
    let gone = used.iter().map(|&k| {
        let mut p = whole.clone();
        let class = p.components[k].class;
        p.classes[class].components.retain(|&other| other != k);
        p
    });
    assert!(rejected(&unit, "lost cell", gone) > 5);
}

#[test]
fn a_cell_that_is_copied_in_part_is_noticed() {
    let text = "extern void *memcpy(void *, const void *, unsigned);\n\
        int main(void) { int x = 1, y = 2; memcpy(&y, &x, 2); return y; }";
    let unit = unit(text);
    let whole = infer(&unit);
    assert!(accepted(&unit, &whole));
    let mut damaged = whole.clone();
    let int = crate::c::types::IntType { bits: 32, signed: true, rank: 3 };
    for c in damaged.components.iter_mut().filter(|c| c.end - c.start == 4) {
        c.cell = Some(int);
    }
    assert!(!accepted(&unit, &damaged));
}

#[test]
fn foreign_pointers_and_exposed_objects_belong_together() {
    let text = "extern int *__VERIFIER_nondet_pointer(void); int x;\n\
        int main(void) { int *p = __VERIFIER_nondet_pointer(); if (p == &x) *p = 1; return x; }";
    let unit = unit(text);
    let whole = infer(&unit);
    assert!(accepted(&unit, &whole));
    let flags = whole.classes.ids().filter(|&c| whole.classes[c].foreign || whole.classes[c].exposed);
    let damaged = flags.map(|c| {
        let mut p = whole.clone();
        (p.classes[c].foreign, p.classes[c].exposed) = (false, false);
        p
    });
    assert!(rejected(&unit, "flag", damaged) > 0);
}
