//! More scenes, with what compilers' own tests are full of: addresses in integers and bytes, parts of records, fields of
//! bits, tables, designators, types of variable length, lists of arguments, odd control flow.

use super::program::Generator;

impl Generator<'_> {
    /// One of the scenes.
    pub fn idiom(&mut self) {
        let n = self.rng.below(IDIOMS.len() + 8);
        match n.checked_sub(IDIOMS.len()) {
            None => self.idiom_from(IDIOMS[n]),
            Some(0 | 1) => self.fields_of_bits(),
            Some(2 | 3) => self.elements(),
            Some(4) => self.threaded_code(),
            Some(5) => self.aggregate(),
            _ => self.pointer_chain(),
        }
    }

    /// A scene from its text: lines that start with `@` go to file scope, `#` is a number that makes names unique, `$` an
    /// expression, `%N` an index below `N`, and `?T` an integer type.
    fn idiom_from(&mut self, text: &str) {
        let number = self.name("");
        let mut out = Vec::new();
        let mut outer = Vec::new();
        for line in text.lines() {
            let (line, is_outer) = match line.strip_prefix('@') {
                Some(line) => (line, true),
                None => (line, false),
            };
            let mut built = String::new();
            let mut chars = line.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '#' => built.push_str(&number),
                    '$' if is_outer => built.push_str(&self.constant()),
                    '$' => {
                        let e = self.expression(1);
                        built.push_str(&format!("({e})"));
                    }
                    '%' => match chars.next_if(char::is_ascii_digit) {
                        Some(d) => {
                            let index = self.index(d as usize - '0' as usize);
                            built.push_str(&format!("({index})"));
                        }
                        None => built.push('%'),
                    },
                    '?' if chars.next_if_eq(&'T').is_some() => {
                        let words = super::objects::INTS[self.rng.below(11)];
                        built.push_str(words);
                    }
                    c => built.push(c),
                }
            }
            if is_outer { outer.push(built) } else { out.push(built) }
        }
        if !outer.is_empty() {
            self.at_file_scope(&outer);
        }
        self.line(format!("{{ {} }}", out.join("\n")));
    }

    /// A record of fields of bits: values of assignments, promotions, steps, copies.
    fn fields_of_bits(&mut self) {
        let t = self.name("bits");
        let types = ["int", "unsigned", "long long", "unsigned long long", "signed char", "unsigned short"];
        let widths = [32, 32, 64, 64, 8, 16];
        let mut members = String::new();
        let mut names = Vec::new();
        for n in 0..3 + self.rng.below(4) {
            let k = self.rng.below(types.len());
            let width = 1 + self.rng.below(widths[k]);
            match self.rng.below(8) {
                0 => members.push_str("int : 0; "),
                1 => members.push_str("int : 3; "),
                2 => members.push_str(&format!("_Bool z{n} : 1; char pad{n}; ")),
                _ => {}
            }
            members.push_str(&format!("{} m{n} : {width}; ", types[k]));
            names.push(format!("m{n}"));
        }
        let packed = if self.rng.one_in(4) { " __attribute__((packed))" } else { "" };
        let mut text = format!("struct {t} {{ {members}}}{packed} a = {{0}}, b[2] = {{{{0}}}}; ");
        for _ in 0..6 {
            let m = &names[self.rng.below(names.len())];
            let e = self.expression(1);
            text.push_str(&match self.rng.below(8) {
                0 => format!("note(a.{m} = {e}); "),
                1 => format!("a.{m} += {e}; note(a.{m}); "),
                2 => format!("note(a.{m}++); note(--a.{m}); "),
                3 => format!("note(a.{m} - 1 < 0); note((a.{m} << 1) > 0); note(~a.{m} > 0); "),
                4 => format!("b[{}] = a; b[{}].{m} = {e}; ", self.index(2), self.index(2)),
                5 => format!(
                    "note(_Generic(a.{m} + 0, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6, default: 7)); "
                ),
                6 => format!("{{ struct {t} *p = &b[{}]; p->{m} ^= {e}; a = *p; }} ", self.index(2)),
                _ => format!("a.{m} = {e}; "),
            });
        }
        for m in &names {
            text.push_str(&format!("note(a.{m}); note(b[0].{m}); note(b[1].{m}); "));
        }
        text.push_str(&format!("note(sizeof(struct {t}));"));
        self.line(format!("{{ {text} }}"));
    }

    /// Elements of arrays of records, whole and in part, at indices that are not constant.
    fn elements(&mut self) {
        let t = self.name("el");
        let (x, y) = (self.int_type().declare("x"), self.int_type().declare("y[2]"));
        let holds = ["int *p;", "struct in *p;", "int (*f)(int, int);"][self.rng.below(3)];
        let mut text = format!(
            "static int z[3] = {{4, 5, 6}}; struct {t} {{ {x}; struct in {{ short s; {y}; int *q; }} in; {} }} a[3] = {{{{0}}}}, b[2] = {{{{0}}}}, c = {{0}}; \
             for (int i = 0; i < 3; i++) {{ a[i].x = i + 1; a[i].in.y[i & 1] = i + 7; a[i].in.q = &z[i]; }} b[0].in.q = b[1].in.q = c.in.q = z; ",
            holds.replace("struct in", &format!("struct {t}"))
        );
        for _ in 0..5 {
            let (i, j, k) = (self.index(3), self.index(2), self.index(2));
            text.push_str(&match self.rng.below(9) {
                0 => format!("b[{j}] = a[{i}]; "),
                1 => format!("a[{i}].in = b[{j}].in; "),
                2 => format!("c = *(a + {i}); c.in.y[{k}]++; "),
                3 => format!("memcpy(&a[{i}].in, &c.in, sizeof c.in); "),
                4 => "memmove(&a[0], &a[1], 2 * sizeof a[0]); ".into(),
                5 => format!(
                    "{{ struct {t} *p = &a[{i}], *q = &b[{j}]; *q = *p; q->in.s--; p->in = q->in; }} "
                ),
                6 => format!("*a[{i}].in.q += 3; a[{i}].in.q = &z[{j}]; "),
                7 => format!("memcpy(a[{i}].in.y, b[{j}].in.y, sizeof a[0].in.y); "),
                _ => format!("b[{j}].in.y[{k}] = {}; ", self.expression(1)),
            });
        }
        text.push_str("for (int i = 0; i < 3; i++) { note(a[i].x); note(a[i].in.s); note(a[i].in.y[0]); note(a[i].in.y[1]); note(*a[i].in.q); note(z[i]); } ");
        text.push_str("note(c.x + c.in.y[0] + c.in.y[1] + *c.in.q); note(b[0].in.y[0]); note(b[1].x); note(b[1].in.y[1]); note(*b[1].in.q);");
        self.line(format!("{{ {text} }}"));
    }

    /// A small machine with a table of labels.
    fn threaded_code(&mut self) {
        let n = self.name("");
        let code: Vec<String> = (0..4).map(|_| self.rng.below(3).to_string()).collect();
        let e = self.expression(1);
        self.line(format!(
            "{{ static const unsigned char code{n}[] = {{{}, 3}}; static const void *const op{n}[] = {{&&inc{n}, &&dbl{n}, &&neg{n}, &&end{n}}};
const unsigned char *pc{n} = code{n}; unsigned acc{n} = {e}; goto *op{n}[*pc{n}++];
inc{n}: acc{n}++; goto *op{n}[*pc{n}++]; dbl{n}: acc{n} *= 2; goto *op{n}[*pc{n}++]; neg{n}: acc{n} = -acc{n}; goto *op{n}[*pc{n}++];
end{n}: note(acc{n}); note(pc{n} - code{n}); }}",
            code.join(", ")
        ));
    }

    /// An aggregate with designators in any order, some twice, some elided.
    fn aggregate(&mut self) {
        let t = self.name("ag");
        let life = ["", "static "][self.rng.below(2)];
        let mut parts = Vec::new();
        for _ in 0..2 + self.rng.below(4) {
            let (c, d) = (self.constant(), self.constant());
            parts.push(match self.rng.below(8) {
                0 => format!(".a = {c}"),
                1 => format!(".b = {{{c}, {d}}}"),
                2 => format!(".b[1] = {c}, {d}"),
                3 => format!(".c[1].y = {c}, {d}"),
                4 => format!(".c = {{[1] = {{{c}}}, [0].y = {d}}}"),
                5 => format!("[0].d = \"{}\"", ["ab", "", "wxyz"][self.rng.below(3)]).replace("[0].d", ".d"),
                6 => format!(".c[0 ... 1].x = {c}"),
                _ => format!(".u.w = {c}"),
            });
        }
        self.line(format!(
            "{{ {life}struct {t} {{ short a; int b[3]; struct {{ char x; long long y; }} c[3]; char d[4]; union {{ unsigned w; unsigned char v[4]; }} u; struct {{ int e, f; }}; }} s = {{{}}}; \
             note(s.a); for (int i = 0; i < 3; i++) {{ note(s.b[i]); note(s.c[i].x); note(s.c[i].y); }} for (int i = 0; i < 4; i++) {{ note(s.d[i]); note(s.u.v[i]); }} note(s.e); note(s.f); note(sizeof s); }}",
            parts.join(", ")
        ));
    }

    /// Pointers to pointers to pointers, set through each other.
    fn pointer_chain(&mut self) {
        let mut text =
            "int x = 1, y = 2, *p = &x, *q = &y, **pp = &p, **qq = &q, ***r = &pp, *t[2] = {&x, &y}; "
                .to_string();
        for _ in 0..6 {
            let e = self.expression(1);
            let i = self.index(2);
            text.push_str(&match self.rng.below(11) {
                0 => "*r = qq; ".into(),
                1 => "**r = t[0]; ".into(),
                2 => format!("***r = {e}; "),
                3 => format!("*pp = t[{i}]; "),
                4 => format!("t[{i}] = **r; "),
                5 => format!("qq = &t[{i}]; "),
                6 => "{ int *s = *pp; *pp = *qq; *qq = s; } ".into(),
                7 => format!("if ({e}) r = &qq; "),
                8 => format!("memcpy(&t[{i}], pp, sizeof *pp); "),
                9 => format!("**qq += {e}; "),
                _ => "r = ***r > 3 ? &pp : &qq; ".into(),
            });
        }
        text.push_str("note(x); note(y); note(*p); note(*q); note(**pp); note(**qq); note(***r); note(*t[0] * 3 + *t[1]); note(p == q); note(*r == &p);");
        self.line(format!("{{ {text} }}"));
    }
}

/// Scenes as texts; see [`Generator::idiom_from`] for their signs.
const IDIOMS: &[&str] = &[
    // Addresses in integers, and in bytes.
    "static int t#[3] = {5, 6, 7}; uintptr_type k = (uintptr_type)&t#[%3]; k ^= 0x55; int *p = (int *)(k ^ 0x55); *p += $; note(t#[0] + 2 * t#[1] + 3 * t#[2]);",
    "int v[2] = {1, 2}, *p = &v[%2], *q; unsigned char b[sizeof p]; for (unsigned i = 0; i < sizeof p; i++) b[i] = ((unsigned char *)&p)[i]; for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&q)[i] = b[i]; *q = $; note(v[0] * 3 + v[1]);",
    "int v = $; uintptr_type tagged = (uintptr_type)&v | 1; if (tagged & 1) note(*(int *)(tagged & ~(uintptr_type)1)); *(int *)(tagged - 1) += 4; note(v);",
    "union { int *p; uintptr_type n; unsigned char b[8]; } u; int v[2] = {$, 3}; u.p = v; u.n += sizeof(int); note(*u.p); *u.p = 9; note(v[1]);",
    "struct { uintptr_type k; int n; } s[2]; int v[2] = {1, 2}; s[0].k = (uintptr_type)&v[0]; s[1].k = (uintptr_type)&v[1]; s[%2].n = 3; *(int *)s[%2].k = $; note(v[0] * 7 + v[1]);",
    "static int v#[2]; static long long table#[] = {1, 2}; void *p[2] = {&v#[0], &v#[1]}; memcpy(&table#[0], &p[%2], sizeof p[0]); int *q; memcpy(&q, &table#[0], sizeof q); *q = $; note(v#[0] - v#[1]);",
    // Bytes of things.
    "unsigned long long w = $; unsigned char *b = (unsigned char *)&w; b[%4] ^= 0x81; note(w); unsigned short h; memcpy(&h, b + 1, 2); note(h); *(unsigned *)(b + 4) = 77; note(w);",
    "?T a[4] = {1, 2, 3, 4}; unsigned char c[sizeof a]; memcpy(c, a, sizeof a); c[%4] = 9; memcpy((char *)a + 1, c + 1, sizeof a - 1); note(a[%4]); note(a[0]);",
    "?T a[3] = {$, 5, 6}, b[3]; memset(b, -1, sizeof b); memcpy(b, a, (1 + %2) * sizeof a[0]); note(b[0]); note(b[1]); note(b[2]);",
    "struct { char c; ?T v; short t; } a = {1, 2, 3}, b; memcpy(&b, &a, sizeof a); b.v = $; memmove(&a.v, &b.v, sizeof a.v); note(a.c + a.t); note(a.v);",
    "union { struct { ?T a; ?T b; } s; struct { ?T c; unsigned char d[8]; } t; unsigned char all[24]; } u; memset(&u, 0, sizeof u); u.s.a = $; u.s.b = $; note(u.t.c); note(u.t.d[%4]); u.all[%8] += 3; note(u.s.a); note(u.s.b);",
    // Text.
    "char b[16] = \"start\"; char *p = b + strlen(b); *p++ = 'x'; *p = 0; strcpy(b + 3 + %3, \"yz\"); note(strlen(b)); for (p = b; *p; ++p) note(*p);",
    "const char *words[] = {\"alpha\", \"be\" \"ta\", \"\", \"d\\x41\"}; const char **w = words + %3; note((*w)[0]); note(strlen(w[1])); char *copy = malloc(strlen(*w) + 1); strcpy(copy, *w); note(strcmp(copy, *w)); note(copy[0]); free(copy);",
    "char r[2][4] = {\"ab\", \"cdef\"}; char one[] = \"q\\0r\"; char none[3] = \"xyz\"; note(sizeof one); note(r[%2][%4]); note(none[%3]); r[%2][1] = $; note(r[0][1] + r[1][1]);",
    "__typeof__(L'a') w[] = L\"w\\u00e9\\x100\"; unsigned short h[] = u\"\\u20ac1\"; note(w[%3]); note(h[%3 % 3]); note(sizeof w / sizeof w[0]); note(sizeof(u8\"\\u20ac\"));",
    // Functions.
    "@static int apply#(int (*f)(int, int), int a, int b) { return f(b, a); }\n@static int (*choose#(int k))(int, int) { return k & 1 ? op_add : op_xor; }\nstatic const struct { const char *name; int (*f)(int, int); } table#[] = {{\"add\", op_add}, {\"xor\", op_xor}, {\"less\", &op_less}}; note(apply#(table#[%3].f, $, 3)); note(choose#($)(4, 9)); note(table#[%3].name[1]); note((*choose#(in))(1, 2)); note(choose#(1) == op_add);",
    "@static int twice#(int n, ...) { __builtin_va_list l, m; int s = 0; __builtin_va_start(l, n); __builtin_va_copy(m, l); for (int i = 0; i < n; i++) s += __builtin_va_arg(l, int); for (int i = 0; i < n; i++) s = s * 3 + __builtin_va_arg(m, int); __builtin_va_end(m); __builtin_va_end(l); return s; }\nnote(twice#(2, (int)$, (int)$)); note(twice#(0));",
    "@struct pair# { int a; char b; long long c; };\n@static long long args#(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); struct pair# p = __builtin_va_arg(l, struct pair#); int *q = __builtin_va_arg(l, int *); *q += n; const char *s = __builtin_va_arg(l, const char *); __builtin_va_end(l); return p.a + p.b * 2 + p.c * 3 + *s; }\nint v = 4; struct pair# p = {$, 2, $}; note(args#(3, p, &v, \"z\")); note(v);",
    "@struct big# { int a[3]; char c; };\n@static struct big# make#(int k) { struct big# r = {{k, k + 1}, 'm'}; r.a[k & 1] *= 2; return r; }\n@static struct big# pass#(struct big# b, int i) { b.a[i] += 5; return b; }\nstruct big# b = pass#(make#($), %3); note(b.a[0]); note(b.a[1]); note(b.a[2]); note(make#(4).a[%3]); note(pass#(b, 1).a[1]); b = pass#(pass#(b, 0), 0); note(b.a[0]);",
    "@static void out#(int **p, int *a, int n) { *p = a; for (int i = 0; i < n; i++) if (a[i] > **p) *p = a + i; }\nint a[3] = {$, $, 4}, *best; out#(&best, a, 3); note(best - a); *best = 0; note(a[0] | a[1] | a[2]);",
    "@static int depth#(int n, int *up) { int here[2] = {n, *up}; if (n == 0) return *up; int r = depth#(n - 1, &here[n & 1]); return r * 2 + here[0] + here[1]; }\nint v = $; note(depth#(3, &v)); note(v);",
    "@static int even#(unsigned n);\n@static int odd#(unsigned n) { return n ? even#(n - 1) : 0; }\n@static int even#(unsigned n) { return n ? odd#(n - 1) : 1; }\nnote(even#((unsigned)$ % 7u));",
    "@static int rows#(int n, int m, int a[n][m], int k) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * 3 + a[i][j]; return s + sizeof(a[0]) + k; }\nint n = 2, m = 1 + %2; int a[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 5 + j + $; note(rows#(n, m, a, 1)); int (*p)[m] = a + 1; note(p[0][0]); note(sizeof *p);",
    "int n = 2 + %2; typedef int row#[n]; n = 9; row# r, *q = &r; for (int i = 0; i < (int)(sizeof r / sizeof r[0]); i++) r[i] = i + $; note(sizeof(row#)); note((*q)[1]); note(sizeof *q);",
    "int n = 1 + %3; for (int k = 0; k < 2; k++) { int v[n + k]; v[0] = k; for (int i = 1; i < n + k; i++) v[i] = v[i - 1] + $; note(v[n + k - 1]); note(sizeof v); }",
    "int *p = __builtin_alloca(3 * sizeof *p); for (int i = 0; i < 3; i++) p[i] = i * $; int *q = p + 2; note(q[-1]); note(*q--); note(q - p); note(q > p);",
    // Control flow.
    "int n = (unsigned)$ % 7u, k = (n + 3) / 4, s = 0; switch (n % 4) { case 0: do { s += 1; case 3: s += 2; case 2: s += 3; case 1: s += 4; } while (--k > 0); } note(s);",
    "int i = 0, s = 0; again#: if (i < 3) { for (int j = 0; ; j++) { if (j == i) { i++; goto again#; } if (j > 4) break; s += j * $; } } note(s); note(i);",
    "int s = 0; for (int i = 0; i < 3; i++) { switch ($ & 3) { case 0: continue; case 1: s += 1; break; default: for (;;) { s += 2; if (s & 2) break; s++; } } s *= 2; } note(s);",
    "int r = ({ int s = 0; for (int i = 0; i < 3; i++) { if (i == %3) continue; s += i; } s; }); note(r); struct { int a, b; } p = ({ __typeof__(p) q = {$, 2}; q; }); note(p.a + p.b);",
    "int x = $; if (x > 3) goto in#; { int y; x = 1; if (0) { in#: x += 2; } y = x; note(y); }",
    "__label__ out#; int k = 0; while (1) { do { if (++k > 2 + %3) goto out#; } while (k & 1); } out#: note(k);",
    "int outer = $; __extension__ auto int nested#(int k); int nested#(int k) { outer += k; return outer * 2; } note(nested#(3)); note(outer);",
    // Arithmetic of odd types.
    "unsigned char c = $; c += 300; c <<= 1; c = c > 5 ? -c : ~c; note(c); signed char d = c; d >>= 1; note(d); d *= 3; note(d--); note(c + d > 255u);",
    "short s = $; unsigned short u = s; note(s == u); note(u * 3u >> 2); long l = s; unsigned v = l; note(v / 3); note((long long)v - l); note(-1 < 0u); note((s ^ u) >> 15); s = u = $; note(s);",
    "_Bool b = $, c = &b; b += 2; note(b); b = b && c; note(b + c); b = 0.5; note(b); b ^= 1; note(b); note(!!b == b); note(sizeof(b + b));",
    "enum e# { A# = 7, B#, C# = 3 } x = A#; enum { BIG# = 1ll << 33 }; note(B# - A#); note(sizeof(BIG#)); x = C#; note(x > -1); note(sizeof x); switch (x) { case C#: note(1); break; default: note(2); }",
    "int r; unsigned w; note(__builtin_add_overflow((int)$, (int)$, &r)); note(r); note(__builtin_mul_overflow((unsigned)$, 77777u, &w)); note(w); note(__builtin_popcount($)); note(__builtin_ctz((unsigned)$ | 64u)); note(__builtin_bswap32($));",
    // Storage.
    "@static int *keep#(void) { static int cells[3], next; return &cells[next++ % 3]; }\nint *p = keep#(), *q = keep#(); *p = $; *q = 5; note(*p + *q); note(p == q); note(q - p); note(*keep#());",
    "struct node# { struct node# *l, *r; int v; } *root = 0, *x; for (int i = 0; i < 3; i++) { int v = (i * 7 + $) & 15; struct node# **at = &root; while (*at) at = v < (*at)->v ? &(*at)->l : &(*at)->r; *at = malloc(sizeof **at); (*at)->l = (*at)->r = 0; (*at)->v = v; } int s = 0; for (x = root; x; x = x->l) s = s * 3 + x->v; for (x = root; x; x = x->r) s = s * 5 + x->v; note(s);",
    "int (*m)[3] = malloc(2 * sizeof *m); for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) m[i][j] = i * 3 + j; int *flat = &m[0][0]; note(flat[%6 % 3]); m[%2][%3] = $; int s = 0; for (int *p = m[0]; p < m[1]; p++) s = s * 3 + *p; note(s); note(m[1][%3]); free(m);",
    "_Alignas(8) char raw[24]; struct { short a; int b; } *s = (void *)(raw + 8 * %2); s->a = $; s->b = $; note(((unsigned char *)s)[%4 & 1]); note(s->b); volatile int v = $; v++; note(v); const volatile int *pv = &v; note(*pv); note(((struct { int a, b; }){$, 2}).a); int *lit = (int[3]){[1] = 4}; lit[%3] += 2; note(lit[0] + lit[1] * 2 + lit[2] * 3);",
    // Tables, and copies at indices that are not constant.
    "@static int *left#(int *a) { return a; }\n@static int *right#(int *a) { return a + 2; }\nint a[3] = {1, 2, 3}; int *(*t[2])(int *) = {left#, right#}; *t[%2](a) = $; int *x = a, *y = t[1](a), **pt[2] = {&x, &y}; **pt[%2] += 4; *pt[%2] = a + 1; note(*x); note(*y); note(a[0] + a[1] * 3 + a[2] * 5);",
    "struct cell# { short s; int v[2]; } g[2][3]; memset(g, 0, sizeof g); g[%2][%3].v[%2] = $; g[1][%3] = g[0][%3]; struct cell# (*row)[3] = &g[%2]; (*row)[%3].s = $; row = g + 1; row[0][%3].v[1]++; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) note(g[i][j].v[0] + g[i][j].v[1] * 3 + g[i][j].s * 7);",
    "union { struct { unsigned a : 5, b : 11; int c : 16; } s; unsigned w; unsigned char b[4]; } u; u.w = $; u.s.b += $; note(u.w); note(u.s.c); u.b[%4] = $; note(u.s.a); note(u.s.b); note(u.s.c); u.s.c = u.s.b; note(u.w);",
    "char buf[12]; char *d = buf; const char *s = &\"abcd\"[%4]; while ((*d++ = *s++)) ; note(d - buf); note(buf[0]); d[-1] = 'q'; d[0] = 0; note(strlen(buf)); char *v[2] = {buf, buf + 1}; v[%2]++; *v[%2] = $; buf[11] = 0; note(buf[0]); note(buf[1]); note(v[1] - v[0]);",
    // Types that the compiler adds.
    "typedef int vec# __attribute__((vector_size(16))); vec# a = {$, 2, 3, 4}, b = a + 1; b[%4] = $; a = a * b - (a > b); note(a[0]); note(a[%4]); note(b[2] ^ a[3]); vec# c[2] = {a, b}; c[%2] = ~c[%2]; note(c[0][1]); note(c[1][3]); note(sizeof(vec#));",
    "_Complex int z = $ + 2i, w = 3 - 1i, *p = &w; z = z * w; note(__real__ z); note(__imag__ z); __real__ *p = $; z -= ~w; note(__imag__ z); note(z == w); _Complex int t[2] = {z, w}; t[%2] = t[%2] + 1; note(__real__ t[0]); note(__imag__ t[1]);",
    "int a[2]; const int c = 1; note(_Generic(a, int *: 1, default: 2)); note(_Generic(&a, int (*)[2]: 3, default: 4)); note(_Generic(\"s\", char *: 5, default: 6)); note(_Generic(c, int: 7, default: 8)); note(_Generic(&c, const int *: 9, default: 10)); note(_Generic((?T)1 + (?T)2, int: 11, unsigned: 12, long: 13, unsigned long: 14, long long: 15, unsigned long long: 16)); note(_Generic(op_add, int (*)(int, int): 17, default: 18)); note(a == &a[0]);",
    // Jumps into loops, and recursion with records and addresses of parameters.
    "int i = 1, s = 0; if ($ & 1) goto mid#; for (i = 0; i < 3; i++) { s += 1; mid#: s += i; } note(s); note(i);",
    "@struct acc# { int n; int *p; };\n@static int walk#(struct acc# a, int *up) { a.n--; int loc = a.n; if (a.n <= 0) return *a.p + *up; struct acc# b = {a.n, a.n & 1 ? &loc : a.p}; int r = walk#(b, &a.n) + loc; *up ^= 1; return r; }\nint v = $, w = 2; note(walk#((struct acc#){3, &v}, &w)); note(v); note(w);",
    "@static int peel#(const char *s, int (*f)(int, int), char **end) { if (*s < 'a') { *end = (char *)s; return 1; } char *mine; int r = peel#(s + 1, f == op_add ? op_xor : op_add, &mine); *end = mine - 1; return f(r, *s); }\nchar *e; static const char w#[] = \"abcdz!\"; note(peel#(w# + %4, op_add, &e)); note(e - w#); note(*e);",
];
