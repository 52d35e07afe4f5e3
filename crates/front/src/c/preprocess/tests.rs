use super::*;
use bolide_testkit::is_long;

fn run(text: &str) -> Result<String, Flaw> {
    let mut load = |_: &str, name: &str| {
        let text = match name {
            "one.h" => "#define ONE 1\nint one;\n",
            "self.h" => "#include \"self.h\"\n",
            _ => return None,
        };
        Some((name.to_string(), text.into()))
    };
    let words = |p: Preprocessed| p.tokens.iter().map(|t| t.text.clone()).collect::<Vec<_>>().join(" ");
    preprocess(text.as_bytes(), &mut load).map(words)
}

#[test]
fn macros_and_conditionals() {
    for (text, expected) in [
        ("#define N 3\nint x = N;", "int x = 3 ;"),
        ("#define F(a, b) (a + b)\nF(1, F(2, 3))", "( 1 + ( 2 + 3 ) )"),
        ("#define F(a) #a \"x\"\nF(\"s\\n\" + 1)", "\"\\\"s\\\\n\\\" + 1\" \"x\""),
        ("#define C(a, b) a##b\nint C(x, 1), C(C, 2);", "int x1 , C2 ;"),
        ("#define f(x) g(x)\n#define g(x) f(x) + 1\nf(2)", "f ( 2 ) + 1"),
        ("#define x x + y\n#define y x\nx", "x + x"),
        ("#define P(...) p(__VA_ARGS__)\nP(1, 2)", "p ( 1 , 2 )"),
        ("#define F(a) a\nF\n(\n1\n)", "1"),
        ("#define E()\nE() 1 E;", "1 E ;"),
        ("#define A 1\n#if A == 1 && !defined(B)\nyes\n#else\nno\n#endif", "yes"),
        ("#if 0\ndon't /* #endif */\n#elif 2 > 1 ? 1 : 0\nb\n#else\nc\n#endif", "b"),
        ("#ifdef A\n1\n#elif 1\n2\n#endif\n#ifndef A\n3\n#endif", "2 3"),
        ("#if -1 > 0u\n1\n#else\n2\n#endif", "1"),
        ("#if (1 << 3) + 2 * 3 == 14 && 07 == 7 && 0x10 == 16\n1\n#endif", "1"),
        ("#include \"one.h\"\nONE", "int one ; 1"),
        ("a /* b\n */ c // d \\\n e\nf", "a c f"),
        ("#define N 1\n#undef N\nN", "N"),
        ("# \n#define X\\\n 5\nX", "5"),
    ] {
        assert_eq!(run(text).as_deref(), Ok(expected), "{text}");
    }
}

/// What depends on the machine, or is odd, is not for us to say.
#[test]
fn refusals() {
    for text in [
        "#include <stdio.h>",
        "#include NAME",
        "#include \"no.h\"",
        "#include \"self.h\"",
        "#ifdef __GNUC__\n#endif",
        "#if __STDC_VERSION__ > 1\n#endif",
        "#if defined _WIN32\n#endif",
        "int x = __INT_MAX__;",
        "int x = __LINE__;",
        "char *f = __FILE__;",
        "int linux;",
        "int (__INT8_C)(int x);",
        "int x = __GCC_IEC_559;",
        "#define __GNUC__ 1",
        "#error no",
        "#pragma pack(1)",
        "#line 7",
        "#if 1",
        "#endif",
        "#define F(a) a\nF(1",
        "#define F(a) a\nF(1, 2)",
        "#define N 1\n#define N 2",
        "#if 1/0\n#endif",
        "#if 1.5\n#endif",
        "/* open",
        "int a <% 1 %>;",
        "int a\\u0041;",
        "#define F(a) a\nF\n#if 1\n(1)\n#endif",
        "#define X _Pragma(\"once\")",
        "#define F(a) a ## \nF(1)",
    ] {
        assert!(run(text).is_err(), "{text}: {:?}", run(text));
    }
    // Expansions without end take a while to notice.
    if is_long() {
        let doubled: String = "ABCDEFGHIJKLMNOPQRSTUVW"
            .as_bytes()
            .windows(2)
            .map(|w| format!("#define {0} {1} {1}\n", w[0] as char, w[1] as char))
            .collect();
        assert!(run(&(doubled + "A")).is_err());
    }
    let deep = format!("#define F(a) a\n{}1{}", "F(".repeat(100_000), ")".repeat(100_000));
    assert!(run(&deep).is_err());
    let deep = format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000));
    assert!(run(&deep).is_err());
}

/// A text that is said to come from a preprocessor has nothing in it that could be read in two ways.
#[test]
fn texts_are_plain() {
    assert_eq!(tokens(b"# 1 \"x.c\"\nint a ;\n").map(|t| t.len()), Ok(3));
    for text in
        ["int a; // b", "/*\n# 5 \"x\" */ int a;", "int \\\na;", "#define N 1", "int a<:1:>;", "#pragma once"]
    {
        assert!(tokens(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn line_markers() {
    assert_eq!(marked_file(b"# 12 \"a b.h\" 1 3").as_deref(), Some("a b.h"));
    assert_eq!(marked_file(b"#line 7 \"x\\\"y\"").as_deref(), Some("x\"y"));
    for other in [b"# 1 \"<built-in>\"".as_slice(), b"#pragma once", b"#", b"# 1 \"open"] {
        assert_eq!(marked_file(other), None);
    }
}

/// Where a compiler is installed, it says the same.
#[test]
fn as_a_compiler_does() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let bodies =
        ["a", "(a)", "b a", "a##b", "#a", "F(a, b)", "G(b) a", "H + 1", "a , b", "f(a)(b)", "", "N", "1"];
    let uses = [
        "F(1, 2)",
        "G(H)",
        "H",
        "F(H, G(2))",
        "F(F(1, 2), 3)",
        "N F",
        "G (1)",
        "F(G, (2))",
        "F((1, 2), x) G(\"s\")",
    ];
    let mut compared = 0;
    for (n, body) in bodies.iter().enumerate() {
        for (m, other) in bodies.iter().enumerate().skip(n % 2).step_by(2) {
            let text = format!(
                "#define F(a, b) {body}\n#define G(b) {}\n#define H {}\n#define N 7\n#if N > {n} || {m} == 3\n{}\n#endif\n{}\n",
                other.replace('a', "b").replace("##b", ""),
                bodies[(n + m) % bodies.len()].replace("##", "").replace('#', ""),
                uses.join("; "),
                uses[(n + m) % uses.len()],
            );
            let Ok(ours) = run(&text) else { continue };
            let command = Command::new("cc")
                .args(["-E", "-P", "-x", "c", "-"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn();
            let Ok(mut child) = command else { return };
            child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("a text is written");
            let output = child.wait_with_output().expect("an answer");
            if !output.status.success() {
                continue;
            }
            let theirs = tokens(&output.stdout).expect("tokens");
            let theirs: Vec<String> = theirs.into_iter().map(|t| t.text).collect();
            assert_eq!(ours, theirs.join(" "), "{text}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}
