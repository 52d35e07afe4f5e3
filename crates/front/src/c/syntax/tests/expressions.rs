//! Expressions.

use super::super::ast::ExprKind;
use super::super::parse;
use super::{check, check_expr, shown};

#[test]
fn precedence_is_that_of_c() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a << b + c", "(a << (b + c))"),
        ("a < b == c", "((a < b) == c)"),
        ("a & b == c", "(a & (b == c))"),
        ("a | b ^ c & a", "(a | (b ^ (c & a)))"),
        ("a || b && c", "(a || (b && c))"),
        ("a && b || c && a", "((a && b) || (c && a))"),
        ("a = b = c", "(a = (b = c))"),
        ("a += b ? c : a", "(a += (b ? c : a))"),
        ("a ? b : c ? a : b", "(a ? b : (c ? a : b))"),
        ("a ? b ? 1 : 2 : c", "(a ? (b ? 1 : 2) : c)"),
        ("a ? b, c : a", "(a ? (b, c) : a)"),
        ("a ? b = c : a", "(a ? (b = c) : a)"),
        ("a ?: b ?: c", "(a ?: (b ?: c))"),
        ("a ? : b", "(a ?: b)"),
        ("a, b, c", "((a, b), c)"),
        ("a = b, c = a", "((a = b), (c = a))"),
        ("f(a, b, (a, c))", "f(a, b, (a, c))"),
        ("a * b / c % a", "(((a * b) / c) % a)"),
        ("a >>= b <<= c", "(a >>= (b <<= c))"),
        ("a ^= b |= c &= a %= b /= c *= a -= 1", "(a ^= (b |= (c &= (a %= (b /= (c *= (a -= 1)))))))"),
        ("a != b >= c > a <= b", "(a != (((b >= c) > a) <= b))"),
        ("-a * !b", "((-a) * (!b))"),
        ("- -a - -~+a", "((-(-a)) - (-(~(+a))))"),
        ("*a++", "(*(a++))"),
        ("++*a--", "(++(*(a--)))"),
        ("&a[b].c->d(1)(2)[3]++", "(&(a[b].c->d(1)(2)[3]++))"),
        ("a+++b", "((a++) + b)"),
        ("a---b", "((a--) - b)"),
        ("!a && b", "((!a) && b)"),
        ("f()()", "f()()"),
    ] {
        check_expr(text, expected);
    }
}

#[test]
fn casts_follow_the_scope_of_types() {
    for (text, expected) in [
        ("(T)a", "((T)a)"),
        ("(a)-b", "(a - b)"),
        ("(T)-b", "((T)(-b))"),
        ("(T)(a)", "((T)a)"),
        ("(a)(b)", "a(b)"),
        ("(T)a + b", "(((T)a) + b)"),
        ("(T)a++", "((T)(a++))"),
        ("(T *(*)[3])(T)a", "((T *(*)[3])((T)a))"),
        ("(T){1}", "(T){1}"),
        ("(T){1}++", "((T){1}++)"),
        ("&(T){1}", "(&(T){1})"),
        ("(struct s){1, 2}.x", "(struct s){1, 2}.x"),
        ("(T[]){1, 2}[0]", "(T []){1, 2}[0]"),
        ("-(T){1} + a", "((-(T){1}) + a)"),
        ("(T)(T){1}", "((T)(T){1})"),
        ("sizeof(T)", "sizeof(T)"),
        ("sizeof(T)*a", "(sizeof(T) * a)"),
        ("sizeof(T)-1", "(sizeof(T) - 1)"),
        ("sizeof(a)+1", "((sizeof a) + 1)"),
        ("sizeof(a)[0]", "(sizeof a[0])"),
        ("sizeof (T){1}", "(sizeof (T){1})"),
        ("sizeof (T){1}.x", "(sizeof (T){1}.x)"),
        ("sizeof a++", "(sizeof (a++))"),
        ("sizeof sizeof a", "(sizeof (sizeof a))"),
        ("sizeof *a * b", "((sizeof (*a)) * b)"),
        ("_Alignof(T) + __alignof__ a", "(_Alignof(T) + (__alignof__ a))"),
        ("(void)0", "((void)0)"),
        ("(int (*)(void))a", "((int (*)(void))a)"),
        ("(const volatile T *const)a", "((const volatile T * const)a)"),
    ] {
        check_expr(text, expected);
    }
    check(
        "typedef int T; int f(int T) { return (T)-1; }",
        "typedef int T;\nint f(int T) { return (T - 1); }",
    );
    check(
        "typedef int T; int f(int x) { int y = (T)-x; { int T = 1; y = (T)-x; } return (T)-x; }",
        "typedef int T;\nint f(int x) { int y = ((T)(-x)); { int T = 1; (y = (T - x)); } return ((T)(-x)); }",
    );
}

#[test]
fn builtins_and_extensions_are_read() {
    for (text, expected) in [
        ("__extension__ __extension__ a + __extension__ b", "(a + b)"),
        ("({ int x = 1; x; }) + 1", "(({ int x = 1; x; }) + 1)"),
        ("({ })", "({ })"),
        ("&&l", "(&&l)"),
        ("a && b", "(a && b)"),
        ("a && &&l", "(a && (&&l))"),
        ("__real__ a + __imag b", "((__real__ a) + (__imag__ b))"),
        ("__builtin_va_arg(a, T *)", "__builtin_va_arg(a, T *)"),
        ("__builtin_offsetof(struct s, a.b[1].c)", "__builtin_offsetof(struct s, a.b[1].c)"),
        ("__builtin_offsetof(struct s, a->b)", "__builtin_offsetof(struct s, a[0].b)"),
        ("__builtin_types_compatible_p(T, int[])", "__builtin_types_compatible_p(T, int [])"),
        ("__builtin_convertvector(a, T)", "__builtin_convertvector(a, T)"),
        ("__builtin_bit_cast(T, a)", "__builtin_bit_cast(T, a)"),
        ("__builtin_choose_expr(1, a, b)", "__builtin_choose_expr(1, a, b)"),
        ("_Generic(a, int: 1, T *: 2, default: b)", "_Generic(a, int: 1, T *: 2, default: b)"),
        ("_Generic(int, int: 1)", "_Generic(int, int: 1)"),
        ("__func__", "__func__"),
    ] {
        check_expr(text, expected);
    }
}

#[test]
fn constants_keep_their_spelling() {
    for (text, expected) in [
        ("0x10u + 010 + 10ull", "((0x10u + 0x8) + 10ull)"),
        ("1.5f + .5e-3L + 0x1p3", "((1.5f + .5e-3l) + 0x1p3)"),
        ("2.0i * 3i", "(2.0i * 3i)"),
        ("'a' + L'\\x1234' + 'ab'", "(('a' + L'\\x1234') + 'ab')"),
        ("\"a\" \"b\\n\" \"\\0\"", "\"ab\\012\\000\""),
        ("L\"\\x263a\" \"b\"", "L\"\\x263a\" L\"b\""),
        ("(\"a\")", "(\"a\")"),
        ("((\"a\"))", "(\"a\")"),
        ("((\"a\"))[0]", "(\"a\")[0]"),
        ("u8\"\\u00e9\"", "u8\"\\303\\251\""),
    ] {
        check_expr(text, expected);
    }
}

#[test]
fn spans_go_from_the_first_byte_to_the_last() {
    let text = b"int x = (a + b) * c[1 \\\n];";
    let parsed = parse(text, 100, &[]);
    let spans: Vec<String> = parsed
        .tree
        .exprs
        .iter()
        .map(|e| {
            String::from_utf8_lossy(&text[e.span.start as usize - 100..e.span.end as usize - 100])
                .into_owned()
        })
        .collect();
    assert_eq!(spans, ["a", "b", "a + b", "c", "1", "c[1 \\\n]", "(a + b) * c[1 \\\n]"]);
}

#[test]
fn bytes_of_any_encoding_are_read() {
    let text = b"char *s = \"\xe4\xff\";\r\n/* \xff */ int x\0;\x0c int caf\xc3\xa9 = caf\\u00e9;";
    let parsed = parse(text, 0, &[]);
    assert!(parsed.issues.is_empty(), "{:?}", parsed.issues);
    assert!(parsed.mentions("caf\u{e9}") && parsed.mentions("s") && !parsed.mentions("int"));
    let ExprKind::String(s) = &parsed.tree.exprs.iter().next().unwrap().kind else { panic!() };
    assert_eq!(s.units, [0xe4, 0xff]);
}

#[test]
fn splices_digraphs_and_comments_are_no_obstacle() {
    check("in\\\nt x\\\r\n = 1/* c \n */+/**/2; // x \\\n int y;\nint z;", "int x = (1 + 2);\nint z;");
    check("int a<:2:> = <%1, 2%>;", "int a[2] = {1, 2};");
    check("%:pragma x\nint a = 1 //**/2\n;", "int a = 1;");
    check("char *s = \"a\\\nb\";", "char *s = \"ab\";");
    check("char *s = R\"(a\\\nb)\" ;", "char *s = \"a\\134\\012b\";");
    check("int $a_$ = 1'000;", "int $a_$ = 1000;");
}

#[test]
fn typedefs_can_be_known_before() {
    let parsed = parse(b"size_t n; int x = (size_t)-1;", 0, &["size_t"]);
    assert!(parsed.issues.is_empty());
    assert_eq!(shown("int x = (y)-1;"), "int x = (y - 1);");
}
