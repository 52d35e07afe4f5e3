//! Little scenes that ordinary programs are full of: lists, strings, bytes of objects, containers of members, jumps.
//!
//! Each is a block of its own with fresh names, so that it fits anywhere.

use super::objects::{Place, Ty};
use super::program::Generator;

impl Generator<'_> {
    /// One of the scenes.
    pub fn scenario(&mut self) {
        match self.rng.below(18) {
            0 => self.list(),
            1 => self.heap_list(),
            2 => self.strings(),
            3 => self.byte_write(),
            4 => self.part_copy(),
            5 => self.container(),
            6 => self.variable_length(),
            7 => self.cursor(),
            8 => self.rows(),
            9 => self.variadic(),
            10 => self.recursion(),
            11 => self.jump_into_scope(),
            12 => self.computed_goto(),
            13 => self.string_table(),
            14 => self.flexible(),
            15 => self.overlay(),
            16 => self.static_counter(),
            _ => self.fill(),
        }
    }

    /// Puts lines before everything else that was written since the last function started: at file scope.
    pub(super) fn at_file_scope(&mut self, lines: &[String]) {
        let is_start = |l: &String| {
            l.starts_with("static ") && l.ends_with('{') || l.starts_with("unsigned long long run_")
        };
        let at = self.lines.iter().rposition(is_start).unwrap_or(self.lines.len());
        self.lines.splice(at..at, lines.iter().cloned());
    }

    /// A list in an array of nodes, linked in an order that depends on the input, and walked.
    fn list(&mut self) {
        let (n, k) = (3 + self.rng.below(2), 1 + self.rng.below(3));
        let (e, p) = (self.expression(1), self.name("n"));
        self.line(format!(
            "{{ struct {p} {{ struct {p} *next; int v; }} pool[{n}], *head = 0;
for (int i = 0; i < {n}; i++) {{ struct {p} *x = &pool[(i * {k} + in) % {n}]; x->v = i + ({e}); x->next = head == x ? 0 : head; if (i < {n} - 1 && {k} == 1) head = x; else if ({k} != 1 && i == 0) head = x; if (head == x && x->next == x) x->next = 0; }}
int limit = 6; while (head && limit--) {{ note(head->v); head = head->next; }} }}"
        ));
    }

    /// A list of the heap: built, reversed, summed up, freed.
    fn heap_list(&mut self) {
        let (n, e, p) = (2 + self.rng.below(2), self.expression(1), self.name("n"));
        self.line(format!(
            "{{ struct {p} {{ int v; struct {p} *next; }} *head = 0, *back = 0;
for (int i = 0; i < {n}; i++) {{ struct {p} *x = malloc(sizeof *x); x->v = i * 3 + ({e}); x->next = head; head = x; }}
while (head) {{ struct {p} *t = head->next; head->next = back; back = head; head = t; }}
while (back) {{ struct {p} *t = back; note(t->v); back = t->next; free(t); }} }}"
        ));
    }

    fn strings(&mut self) {
        let word = ["hello", "a", "", "x\\0y", "tab\\t"][self.rng.below(5)];
        let (b, i) = (self.name("b"), self.index(5));
        self.line(format!(
            "{{ char {b}[12]; strcpy({b}, \"{word}\"); note(strlen({b})); {b}[{i}] = 'z'; {b}[11] = 0; note({b}[0]); note(strcmp({b}, \"{word}\") == 0); note(memcmp(\"abc\", \"abd\", 3) < 0); }}"
        ));
    }

    /// A byte of an object is written.
    fn byte_write(&mut self) {
        let fits =
            |p: &Place| matches!(p.ty, Ty::Int(words) if words != "_Bool") && p.addressable && p.writable;
        let Some(p) = self.find_place(fits) else { return };
        let (i, e) = (self.expression(0), self.expression(1));
        let b = self.name("b");
        self.line(format!(
            "{{ unsigned char *{b} = (unsigned char *)&{}; {b}[(unsigned)({i}) % sizeof({})] = {e}; }}",
            p.text, p.text
        ));
    }

    /// Some bytes of an array of integers move within it or to another.
    fn part_copy(&mut self) {
        let is_row = |p: &Place| matches!(&p.ty, Ty::Array(of, _) if matches!(**of, Ty::Int(words) if words != "_Bool"));
        let Some(a) = self.find_place(|p| is_row(p) && p.writable && p.addressable) else { return };
        let Some(b) = self.find_place(|p| is_row(p) && p.addressable) else { return };
        let n = 1 + self.rng.below(2);
        let (x, y) = (self.expression(0), self.rng.below(2));
        self.line(format!(
            "if (sizeof({a}) > {n} && sizeof({b}) >= {n} + {y}) memmove((char *)&{a} + (unsigned)({x}) % (sizeof({a}) - {n}), (char *)&{b} + {y}, {n});",
            a = a.text,
            b = b.text
        ));
    }

    /// From the address of a member to the record around it.
    fn container(&mut self) {
        let n = self.rng.below(self.records.len());
        let record = self.records[n].clone();
        let ty = Ty::Record(n);
        let Some(p) = self.find_place(|p| p.ty == ty && p.addressable && p.writable) else { return };
        let usable = |f: &&super::objects::Field| f.bits.is_none() && matches!(f.ty, Ty::Int(_));
        let Some(f) = record.fields.iter().rev().find(usable) else { return };
        if record.attributes.contains("packed") {
            return;
        }
        let (m, r, e) = (self.name("m"), self.name("r"), self.expression(1));
        let f0 = &record.fields[0];
        self.line(format!(
            "{{ {} = &{}.{}; R{n} *{r} = (R{n} *)((char *){m} - __builtin_offsetof(R{n}, {}));",
            f.ty.pointer().declare(&m),
            p.text,
            f.name,
            f.name
        ));
        match &f0.ty {
            Ty::Int(_) => self.line(format!("{r}->{} = {e}; note({r}->{}); }}", f0.name, f0.name)),
            _ => self.line(format!("note({r}->{}); }}", f.name)),
        }
    }

    fn variable_length(&mut self) {
        let (n, v, e) = (self.name("n"), self.name("v"), self.expression(1));
        let ty = self.int_type().declare("");
        self.line(format!(
            "{{ int {n} = (int)((unsigned)({e}) % 3u) + 1; {ty}{v}[{n}][2]; note(sizeof({v}));
for (int i = 0; i < {n}; i++) {{ {v}[i][0] = i + 5; {v}[i][1] = {n} - i; }}
for (int i = 0; i < {n}; i++) note({v}[i][i & 1]); note(sizeof({v}[{n}++]) + {n}); }}"
        ));
    }

    /// A pointer runs over an array.
    fn cursor(&mut self) {
        let is_row = |p: &Place| matches!(&p.ty, Ty::Array(of, _) if matches!(**of, Ty::Int(_)));
        let Some(a) = self.find_place(|p| is_row(p) && p.writable) else { return };
        let Ty::Array(of, n) = &a.ty else { return };
        let (p, e) = (self.name("p"), self.expression(1));
        let declared = of.pointer().declare(&p);
        let text = a.text;
        let line = match self.rng.below(3) {
            0 => format!(
                "for ({declared} = {text}; {p} < {text} + {n}; {p}++) {{ *{p} += {e}; note(*{p}); note({p} - {text}); }}"
            ),
            1 => format!(
                "{{ {declared} = &{text}[{n}]; while ({p} != {text}) {{ *--{p} = {e}; if ({p} > {text}) note(1); }} }}"
            ),
            _ => format!(
                "{{ {declared} = {text}; int k = 0; *{p}++ = {e}; note(*{p}); while (k++ < {n} - 1) note({p}[k - 2 >= 0 ? k - 2 : 0]); }}"
            ),
        };
        self.line(line);
    }

    /// Pointers to rows.
    fn rows(&mut self) {
        let is_matrix = |p: &Place| matches!(&p.ty, Ty::Array(of, _) if matches!(&**of, Ty::Array(..)));
        let Some(a) = self.find_place(|p| is_matrix(p) && p.writable && p.addressable) else { return };
        let Ty::Array(row, n) = &a.ty else { return };
        let Ty::Array(of, columns) = &**row else { return };
        let (r, i, j, e) = (self.name("r"), self.index(*n), self.index(*columns), self.expression(1));
        self.line(format!("{{ {} = &{}[{i}];", row.pointer().declare(&r), a.text));
        match &**of {
            Ty::Int(_) => {
                self.line(format!("(*{r})[{j}] = {e}; note({r}[0][{j}]); note({r} - {}); }}", a.text))
            }
            _ => self.line(format!("note({r} == &{}[0]); }}", a.text)),
        }
    }

    fn variadic(&mut self) {
        let f = self.name("va");
        let lines = [
            format!("static long long {f}(int n, ...) {{"),
            "__builtin_va_list l; long long s = 0; __builtin_va_start(l, n);".into(),
            "for (int i = 0; i < n; i++) s = s * 7 + (i == 1 ? __builtin_va_arg(l, long long) : __builtin_va_arg(l, int));".into(),
            "__builtin_va_end(l); return s; }".into(),
        ];
        self.at_file_scope(&lines);
        let (a, b, c) = (self.expression(1), self.expression(1), self.expression(1));
        self.line(format!(
            "note({f}(3, (int)({a}), (long long)({b}), (int)(short)({c}))); note({f}(1, 'a'));"
        ));
    }

    fn recursion(&mut self) {
        let f = self.name("rec");
        let e = self.rng.below(5);
        let lines = [
            format!("static int {f}(int n, int *up, int **deep) {{"),
            format!("int here = n * 3 + *up; if (n <= 0) {{ **deep += {e}; return here; }}"),
            format!("int r = {f}(n - 1, &here, n == 2 ? &up : deep); *up += here; return r + here; }}"),
        ];
        self.at_file_scope(&lines);
        let (x, p, e) = (self.name("x"), self.name("p"), self.expression(1));
        self.line(format!("{{ int {x} = {e}, *{p} = &{x}; note({f}(2 + in % 2, &{x}, &{p})); note({x}); }}"));
    }

    fn jump_into_scope(&mut self) {
        if self.loops > 0 {
            return;
        }
        let (l, e, t) = (self.name("label"), self.expression(1), self.name("t"));
        self.line(format!("if ({e}) goto {l};"));
        self.line(format!("{{ int {t} = 3; note({t}); {l}: {t} = in; note({t} + 1); }}"));
    }

    fn computed_goto(&mut self) {
        let (a, b, c, t) = (self.name("la"), self.name("lb"), self.name("lc"), self.name("t"));
        let e = self.expression(1);
        self.line(format!(
            "{{ static void *{t}[] = {{&&{a}, &&{b}}}; goto *{t}[(unsigned)({e}) % 2u]; {a}: note(11); goto {c}; {b}: note(12); {c}: note(13); }}"
        ));
    }

    fn string_table(&mut self) {
        let (t, i, w) = (self.name("t"), self.index(3), self.name("w"));
        self.line(format!(
            "{{ static const char *{t}[] = {{\"abc\", \"de\", \"\"}}; static const char {w}[][4] = {{\"one\", \"two\", {{'x', 0}}}};
note({t}[{i}][0]); note(strlen({t}[{i}])); note({w}[{i}][1]); note(sizeof({t}) + sizeof({w})); const char *p = {t}[{i}]; while (*p) note(*p++); }}"
        ));
    }

    fn flexible(&mut self) {
        let (s, e, i) = (self.name("s"), self.expression(1), self.index(3));
        let ty = self.int_type().declare("d[]");
        self.line(format!(
            "{{ struct {s} {{ int n; {ty}; }} *x = malloc(sizeof(struct {s}) + 3 * sizeof(x->d[0])); x->n = 3;
for (int i = 0; i < x->n; i++) x->d[i] = i + ({e}); note(x->d[{i}]); note(sizeof(*x)); free(x); }}"
        ));
    }

    /// One storage, two views.
    fn overlay(&mut self) {
        let (u, e) = (self.name("u"), self.expression(1));
        let i = self.index(4);
        self.line(format!(
            "{{ union {{ unsigned w; struct {{ unsigned char a, b; unsigned short c; }} p; unsigned char b[4]; int s : 5; }} {u}; {u}.w = {e}; note({u}.p.a); {u}.b[{i}] ^= 0x5a; note({u}.w); note({u}.s); {u}.p.c++; note({u}.w); }}"
        ));
    }

    fn static_counter(&mut self) {
        let f = self.name("count");
        let lines = [format!(
            "static int {f}(int by) {{ static int n = 3; static int *p = &n; *p += by; return n; }}"
        )];
        self.at_file_scope(&lines);
        let e = self.expression(1);
        self.line(format!("note({f}({e})); note({f}(1));"));
    }

    fn fill(&mut self) {
        let is_row = |p: &Place| matches!(&p.ty, Ty::Array(of, _) if matches!(**of, Ty::Int(words) if words != "_Bool"));
        let Some(a) = self.find_place(|p| is_row(p) && p.writable && p.addressable) else { return };
        let (byte, e) = (self.rng.below(256), self.expression(0));
        self.line(format!("memset(&{0}, {byte}, (unsigned)({e}) % sizeof({0}));", a.text));
    }
}
