//! Results of library functions: what their manuals exclude is no reason of an error, what they have written is written, and functions
//! for the end of the program are called there.

use bolide_base::Budget;
use bolide_front::c::interp::{End, Interpreter};
use bolide_front::c::{Options, load};
use bolide_term::Store;

/// How a program ends if every value from outside is this one.
fn end_with(text: &str, value: i128) -> End {
    let task = load(&mut Store::new(), "t.c", text, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    Interpreter::new(&task.unit).run(&mut |_| value, &Budget::unlimited().with_steps(100_000))
}

/// Does an error follow from a condition on a result that is the given value?
fn fails_with(declaration: &str, condition: &str, value: i128) -> bool {
    let text = format!(
        "extern void reach_error(void);\n{declaration}\nint main(void) {{ if ({condition}) reach_error(); return 0; }}"
    );
    matches!(end_with(&text, value), End::Error(_))
}

#[test]
fn statuses_and_counts_lie_in_their_ranges() {
    let functions = "typedef struct file FILE; extern FILE *stdout; int puts(const char *); int close(int);
        unsigned long fwrite(const void *, unsigned long, unsigned long, FILE *); long write(int, const void *, unsigned long);
        int access(const char *, int); int fclose(FILE *); unsigned sleep(unsigned); int getpid(void); long lrand48(void);";
    for (condition, value) in [
        ("puts(\"a\") < -1", -2),
        ("close(3) > 0", 1),
        ("close(3) < -1", -2),
        ("fwrite(\"abc\", 1, 3, stdout) > 3", 4),
        ("write(1, \"abc\", 3) > 3", 4),
        ("write(1, \"abc\", 3) < -1", -2),
        ("access(\"a\", 0) > 0", 1),
        ("fclose(stdout) > 0", 1),
        ("sleep(0) != 0", 1),
        ("getpid() < 1", 0),
        ("lrand48() < 0", -1),
    ] {
        assert!(!fails_with(functions, condition, value), "{condition}");
    }
    for (condition, value) in [
        ("puts(\"a\") < 0", -1),
        ("close(3) != 0", -1),
        ("fwrite(\"abc\", 1, 3, stdout) < 3", 2),
        ("write(1, \"abc\", 3) == 3", 3),
        ("write(1, \"abc\", -1ul) == 3", 3),
        ("sleep(2) != 0", 1),
    ] {
        assert!(fails_with(functions, condition, value), "{condition}");
    }
}

/// A kernel may have functions of the same names.
#[test]
fn functions_with_other_parameters_are_other_functions() {
    assert!(fails_with("struct node; int close(struct node *);", "close(0) == -22", -22));
    assert!(fails_with("int access(int);", "access(1) == 7", 7));
}

#[test]
fn dates_are_no_reason_of_an_error() {
    let functions = "struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
        struct tm *gmtime(const long *); struct tm *localtime(const long *); char *ctime(const long *); static long t;";
    for condition in ["gmtime(&t)->tm_sec > 70", "localtime(&t)->tm_year == 5", "ctime(&t)[0] == 7"] {
        assert!(!fails_with(functions, condition, 5), "{condition}");
    }
}

#[test]
fn memory_is_cleared_for_good() {
    let text = "void explicit_bzero(void *, unsigned long); void reach_error(void);
        int main(void) { char b[4] = \"abc\"; explicit_bzero(b, 2); if (b[0] || b[1] || b[2] != 'c') reach_error(); return 0; }";
    assert!(!matches!(end_with(text, 0), End::Error(_)));
}

#[test]
fn functions_are_called_at_the_end() {
    let program = |main: &str, expected: i32| {
        format!(
            "int atexit(void (*)(void)); void exit(int); void _exit(int); void reach_error(void); static int n = 3;
             static void last(void) {{ if (n == {expected}) reach_error(); }}
             static void twice(void) {{ n *= 2; }} static void more(void) {{ n++; }}
             int main(void) {{ if (atexit(last)) return 1; atexit(twice); atexit(more); {main} return 0; }}"
        )
    };
    for (main, expected) in [("", 8), ("atexit(more);", 10), ("n = 5; exit(1);", 12)] {
        assert!(matches!(end_with(&program(main, expected), 0), End::Error(_)), "{main}");
        assert!(!matches!(end_with(&program(main, expected + 1), 0), End::Error(_)), "{main}");
    }
    assert!(!matches!(end_with(&program("_exit(0);", 3), 0), End::Error(_)));
}
