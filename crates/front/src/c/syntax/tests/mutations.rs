//! Texts with random changes: whatever they say, reading ends without a panic, and with few messages.

use super::super::parse;
use super::super::source::Source;
use bolide_testkit::Random;
use std::time::{Duration, Instant};

const TEXTS: [&str; 4] = [
    r#"# 1 "a.c"
typedef unsigned long size_t; struct list { struct list *next; union { int a : 3; char b[4]; }; } __attribute__((packed));
static inline int f(const struct list *restrict p, size_t n, int a[static n], ...) {
  for (size_t i = 0, j; i < n && p; ++i, p = p->next) { if (a[i] > 'x') continue; else if (!~a[i]) break; else goto out; }
  switch (n) { case 1 ... 3: ; default: do n--; while (n > 0x1fUL); }
out: return (int)sizeof(struct list) + ({ int T = 1; T; }) ?: -1;
}
"#,
    r#"#pragma pack(push, 1)
enum e { A, B = 1 << 2, C, }; int g(x, y) int x; char *y; { return x ? *y : A; }
_Static_assert(sizeof(int) == 4, "m"); extern int z __asm__("zz"); __extension__ typeof(z) *(*h[3])(void (*)(int), char);
#pragma pack(pop)
struct s { int a; double b[]; } v = { .a = 1, .b = { [0] = 1.5e-3f, [1 ... 2] = 0x1p3 } };
char w[] = "a\n\x41" "b" L"c\u00e9"; _Complex double q = 1.0i; __thread _Alignas(16) char buf[2];
"#,
    r#"int main(int argc, char **argv) { __label__ l; void *p = &&l; int k(int y) { return y + argc; }
  asm volatile ("nop" : "=r" (argc) : [in] "r" (argv[0][1]) : "memory"); goto *p; l: k(3);
  int n = argc, m[n][n + 1]; (void)m; typedef int T; { T T = 1; T++; } T u = (T)-1, *t = &(T){ 2 };
  return _Generic(u, int: __builtin_offsetof(struct s, a), default: __builtin_va_arg(argv, char *)); }
"#,
    "%:line 7 \"x\"\nint caf\\u00e9 <: 2 :> = <% 1'0, 0b1 %>; /* c */ // d \\\n e\nchar *r = R\"x(a\\n)x\" \"\\\nb\", c = u8'a';\n",
];

/// The ends of words and single other bytes.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = text[at..].iter().position(|&b| !is_word(b)).map_or(text.len(), |n| at + n.max(1));
        out.push((at, end));
        at = end;
    }
    out
}

fn mutate(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(4) {
        let spans = tokens(&text);
        if spans.is_empty() {
            break;
        }
        let (a, b) = (spans[random.below(spans.len())], spans[random.below(spans.len())]);
        match random.below(6) {
            0 => text[a.0] ^= 1 << random.below(8),
            1 => drop(text.drain(a.0..a.1)),
            2 => {
                let copy = text[a.0..a.1].to_vec();
                text.splice(b.0..b.0, copy);
            }
            3 => {
                let (first, second) = (a.min(b), a.max(b));
                if first.1 <= second.0 {
                    let (x, y) = (text[first.0..first.1].to_vec(), text[second.0..second.1].to_vec());
                    text.splice(second.0..second.1, x);
                    text.splice(first.0..first.1, y);
                }
            }
            4 => text.truncate(a.0),
            _ => text.insert(a.0, random.below(256) as u8),
        }
    }
    text
}

#[test]
fn mutated_texts_do_no_harm() {
    let mut random = Random::new(16);
    let mut rejected = 0;
    let mut longest = Duration::ZERO;
    for round in 0..20_000 {
        let text = mutate(TEXTS[round % TEXTS.len()].as_bytes(), &mut random);
        let start = Instant::now();
        let parsed = parse(&text, 0, &[]);
        let source = Source::new("m.c", &text);
        assert!(parsed.issues.len() <= 20);
        for issue in &parsed.issues {
            assert!(issue.span.start <= issue.span.end && issue.span.end as usize <= text.len(), "{issue:?}");
            source.diagnose(issue.clone());
        }
        for expr in &parsed.tree.exprs {
            assert!(expr.span.start <= expr.span.end && expr.span.end as usize <= text.len());
        }
        rejected += usize::from(!parsed.issues.is_empty());
        longest = longest.max(start.elapsed());
    }
    assert!(rejected > 5_000 && rejected < 20_000, "{rejected}");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
}

#[test]
fn the_texts_themselves_are_read() {
    for text in TEXTS {
        let parsed = parse(text.as_bytes(), 0, &[]);
        assert!(parsed.issues.is_empty(), "{text}\n{:?}", parsed.issues);
    }
}
