//! Declarations, types, initialisers.

use super::super::ast::{Item, TypeSpecifier};
use super::super::parse;
use super::{check, shown};

#[test]
fn specifiers_are_put_together() {
    for (text, expected) in [
        ("long unsigned int long static x;", "static unsigned long long x;"),
        ("short x; signed y; unsigned z; signed char c;", "short x;\nint y;\nunsigned z;\nsigned char c;"),
        ("double long x; char unsigned y;", "long double x;\nunsigned char y;"),
        (
            "_Complex x; float _Complex y; int __complex__ z;",
            "_Complex double x;\n_Complex float y;\n_Complex int z;",
        ),
        (
            "unsigned __int128 x; __int128_t y; __uint128_t z;",
            "unsigned __int128 x;\n__int128 y;\nunsigned __int128 z;",
        ),
        (
            "_Float16 a; _Float32 b; _Float64x c; __float128 d;",
            "_Float16 a;\n_Float32 b;\n_Float64x c;\n_Float128 d;",
        ),
        ("_Decimal32 a; _Decimal64 b = 1.5dd;", "_Decimal32 a;\n_Decimal64 b = 1.5dd;"),
        ("int const volatile x; const int *restrict p;", "const volatile int x;\nconst int * restrict p;"),
        (
            "_Atomic int x; _Atomic(int) y; int *_Atomic z;",
            "_Atomic int x;\n_Atomic(int) y;\nint * _Atomic z;",
        ),
        ("inline static _Noreturn void f(void);", "static inline _Noreturn void f(void);"),
        ("__inline__ __const __signed__ __volatile__ int x;", "inline const volatile int x;"),
        ("_Alignas(8) _Alignas(long) int x;", "_Alignas(8) _Alignas(long) int x;"),
        ("__builtin_va_list ap;", "__builtin_va_list ap;"),
        ("typedef long long __int64; __int64 x;", "typedef long long __int64;\n__int64 x;"),
        ("int __cdecl f(void); void (__stdcall *p)(int);", "int f(void);\nvoid (*p)(int);"),
        ("int *_Nonnull p; char *__restrict q;", "int *p;\nchar * restrict q;"),
    ] {
        check(text, expected);
    }
    check(
        "_Thread_local static int x; extern __thread int y;",
        "static _Thread_local int x;\nextern _Thread_local int y;",
    );
    check(
        "typeof(1 + 2) x; __typeof__(int *) y; typeof_unqual(x) z;",
        "typeof((1 + 2)) x;\ntypeof(int *) y;\ntypeof_unqual(x) z;",
    );
    check(
        "__int64 a; unsigned __int16 b; __forceinline int f(void);",
        "long long a;\nunsigned short b;\ninline int f(void);",
    );
}

#[test]
fn declarators_are_read_from_the_name_outwards() {
    for (text, expected) in [
        ("int *a[3], (*b)[3], **c;", "int *a[3], (*b)[3], **c;"),
        ("int (*f(int x))(char);", "int (*f(int x))(char);"),
        ("int (*(*f)(void))[2];", "int (*(*f)(void))[2];"),
        ("int ((((x))));", "int x;"),
        ("void (*signal(int, void (*)(int)))(int);", "void (*signal(int, void (*)(int)))(int);"),
        ("int f(), g(void), h(int, ...), k(...);", "int f(), g(void), h(int, ...), k(...);"),
        ("int a[2][3][sizeof(int)];", "int a[2][3][sizeof(int)];"),
        ("int (f)(void), *(g)(void);", "int f(void), *g(void);"),
        ("char *const *volatile p;", "char * const * volatile p;"),
        ("int f(int (void), int (*)(int), int ());", "int f(int (void), int (*)(int), int ());"),
        ("typedef int T; int f(int (*T)(T));", "typedef int T;\nint f(int (*T)(T));"),
        ("int f(int n, int a[n][n + 1]);", "int f(int n, int a[n][(n + 1)]);"),
        ("int f(int n; int a[n], int n);", "int f(int a[n], int n);"),
    ] {
        check(text, expected);
    }
    check(
        "int f(int a[static const 3], int b[*], int c[restrict], int d[]);",
        "int f(int a[const static 3], int b[*], int c[restrict], int d[]);",
    );
    check(
        "typedef int T; int f(T), g(int T), h(int (T)), k(T T);",
        "typedef int T;\nint f(T), g(int T), h(int (T)), k(T T);",
    );
}

#[test]
fn functions_of_all_ages() {
    for (text, expected) in [
        ("int f(void) { return 1; }", "int f(void) { return 1; }"),
        ("main() { }", "main() { }"),
        ("f(a, b) char *a; { }", "f(a, b) char *a; { }"),
        (
            "int f(a, b) int a; register char b[]; { return a; }",
            "int f(a, b) int a; register char b[]; { return a; }",
        ),
        ("typedef int T; int f(a) T a; { T b; }", "typedef int T;\nint f(a) T a; { T b; }"),
        ("static f(), *g(), x, y = 1;", "static f(), *g(), x, y = 1;"),
        ("*p; (q); (f)() { }", "*p;\nq;\nf() { }"),
        ("int (*f(int x))(int) { return 0; }", "int (*f(int x))(int) { return 0; }"),
        ("typedef int T; T f(T x) { T y = x; }", "typedef int T;\nT f(T x) { T y = x; }"),
        ("void f(int T) { T * 2; } ", "void f(int T) { (T * 2); }"),
        (
            "typedef int T; void f(enum { T } x) { T * 2; }",
            "typedef int T;\nvoid f(enum { T } x) { (T * 2); }",
        ),
        ("void f(void) __attribute__((noinline)) { }", "__attribute__((noinline)) void f(void) { }"),
        (";;int x;;", "int x;"),
    ] {
        check(text, expected);
    }
}

#[test]
fn records_and_enumerations() {
    for (text, expected) in [
        ("struct s { int a, *b; char c : 3, : 0; };", "struct s { int a, *b; char c : 3,  : 0; };"),
        (
            "struct s { struct { int x; }; union { int y; }; } z;",
            "struct s { struct { int x; }; union { int y; }; } z;",
        ),
        ("struct { } a; union u { };", "struct { } a;\nunion u { };"),
        (
            "struct s { int n; int a[]; }; struct t { int z[0] };",
            "struct s { int n; int a[]; };\nstruct t { int z[0]; };",
        ),
        ("struct s { ;int a;; };", "struct s { int a; };"),
        ("typedef int T; struct s { T T; T; T : 2; };", "typedef int T;\nstruct s { T T; T; T  : 2; };"),
        ("enum e { A, B = 2, C, }; enum e x;", "enum e { A, B = 2, C };\nenum e x;"),
        ("enum { A __attribute__((deprecated)) = 1, B };", "enum { A __attribute__((deprecated)) = 1, B };"),
    ] {
        check(text, expected);
    }
    check(
        "struct s { _Static_assert(1, \"x\"); __extension__ int a; };",
        "struct s { _Static_assert(1, \"x\"); int a; };",
    );
    check(
        "enum e : unsigned char { A }; struct s { enum e : 3; };",
        "enum e : unsigned char { A };\nstruct s { enum e  : 3; };",
    );
}

#[test]
fn attributes_stand_everywhere() {
    for (text, expected) in [
        (
            "__attribute__((a)) static __attribute__((b)) int __attribute__((c)) x __attribute__((d)), __attribute__((e)) y;",
            "__attribute__((a)) __attribute__((b)) __attribute__((c)) static int x __attribute__((d)), y __attribute__((e));",
        ),
        ("int *__attribute__((a)) const p;", "int * const __attribute__((a)) p;"),
        (
            "struct __attribute__((packed)) s { int x __attribute__((aligned(4))); } __attribute__((aligned (8))) v;",
            "struct s { int x __attribute__((aligned(4))); } __attribute__((packed)) __attribute__((aligned(8))) v;",
        ),
        ("struct s __attribute__((a)) { int x; };", "struct s { int x; } __attribute__((a));"),
        ("struct s __attribute__((a)) x;", "__attribute__((a)) struct s x;"),
        ("int (__attribute__((a)) *f)(void);", "int (*f)(void) __attribute__((a));"),
        (
            "__declspec(dllexport noinline) int x;",
            "__attribute__((dllexport)) __attribute__((noinline)) int x;",
        ),
        ("int x asm(\"y\") __attribute__((a)) = 1;", "int x asm(\"y\") __attribute__((a)) = 1;"),
        (
            "typedef float v4 __attribute__((vector_size(16)));",
            "typedef float v4 __attribute__((vector_size(16)));",
        ),
        ("int x __attribute__((type(int *)));", "int x __attribute__((type(int *)));"),
    ] {
        check(text, expected);
    }
    for text in [
        "int f(int x __attribute__((unused)), __attribute__((b)) int y);",
        "int x __attribute__((__aligned__(sizeof(int)), , __const__));",
        "void f(const char *, ...) __attribute__((__format__(__printf__, 1, 2)));",
        "[[nodiscard, gnu::pure]] int f(void) [[a]];",
        "int x __attribute__((availability(macosx, introduced=10.4.1)));",
    ] {
        assert!(shown(text).contains("__attribute__"), "{text}");
    }
}

#[test]
fn initialisers_and_designators() {
    for (text, expected) in [
        ("int a[] = {1, 2, };", "int a[] = {1, 2};"),
        ("struct s x = {}, y = {{}, {1}};", "struct s x = {}, y = {{}, {1}};"),
        ("struct s x = {.a = 1, .b.c[2].d = {3}};", "struct s x = {.a = 1, .b.c[2].d = {3}};"),
        ("int a[] = {[1] = 2, [3 ... 5] = 6, [7] 8};", "int a[] = {[1] = 2, [3 ... 5] = 6, [7] = 8};"),
        ("struct s x = {a: 1, b: {2}};", "struct s x = {.a = 1, .b = {2}};"),
        ("int a[2][2] = {[0][1] = 1};", "int a[2][2] = {[0][1] = 1};"),
        ("int x = {1};", "int x = {1};"),
        ("char s[] = {\"abc\"}, t[] = (\"abc\");", "char s[] = {\"abc\"}, t[] = (\"abc\");"),
        ("int *p = (int[]){1, 2};", "int *p = (int []){1, 2};"),
    ] {
        check(text, expected);
    }
}

#[test]
fn packing_is_that_at_the_end_of_the_record() {
    let text = "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(2)\nstruct b { int x;\n#pragma pack(pop)\n};\n\
                _Pragma(\"pack(4)\") struct c { int x; };\n#pragma pack()\nstruct d { int x; };";
    let parsed = parse(text.as_bytes(), 0, &[]);
    assert!(parsed.issues.is_empty());
    let packs: Vec<Option<u64>> = parsed
        .tree
        .items
        .iter()
        .map(|item| match item {
            Item::Declaration(d) => match &d.specifiers.ty {
                TypeSpecifier::Record(r) => r.pack,
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(packs, [Some(1), None, Some(4), None]);
}
