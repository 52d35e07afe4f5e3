//! Names of functions of the C library and of operating systems, by what calls of them mean.

/// Functions whose call is an error.
const ERRORS: &[&str] = &["__VERIFIER_error", "reach_error", "__assert_fail", "__assert_perror_fail"];
/// What `assert` of other libraries calls if it fails. Programs have functions of such names too.
const ASSERTS: &[&str] = &["__assert_func", "__assert_rtn", "__assert13", "__assert2", "_wassert"];
/// Such functions with names that are parts of others: they take at least an expression, a file and a line.
const SHORT_ASSERTS: &[&str] = &["__assert", "_assert"];
/// Functions that end the program, besides those that are declared so.
const ENDS: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "abort",
    "quick_exit",
    "thread_exit",
    "pthread_exit",
    "thrd_exit",
    "err",
    "errx",
    "verr",
    "verrx",
];
/// Functions that are lowered to instructions and mean the same under the compiler's name.
const INSTRUCTIONS: &[&str] = &[
    "malloc",
    "alloca",
    "kmalloc",
    "xmalloc",
    "valloc",
    "free",
    "kfree",
    "cfree",
    "calloc",
    "kcalloc",
    "kzalloc",
    "memset",
    "bzero",
    "memcpy",
    "memmove",
    "mempcpy",
    "div",
    "ldiv",
    "lldiv",
    "imaxdiv",
    "raise",
    "__VERIFIER_assume",
    "__VERIFIER_assert",
    "assume",
    "assert",
];
/// Functions with a twin that knows the size of the target: `__memcpy_chk` is `memcpy` with a further argument.
const CHECKED: &[&str] = &[
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "stpcpy",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "asprintf",
    "vasprintf",
];
/// Functions with a model that read input, and may fail.
const READERS: &[&str] = &[
    "getchar",
    "fgetc",
    "getc",
    "read",
    "recv",
    "fread",
    "fgets",
    "time",
    "getchar_unlocked",
    "fgetc_unlocked",
    "getc_unlocked",
    "pread",
    "getrandom",
    "getcwd",
    "readlink",
    "getline",
    "getdelim",
    "clock_gettime",
    "nanosleep",
    "pipe",
    "poll",
    "select",
    "vsnprintf",
    "vsprintf",
    "asprintf",
    "strtod",
    "strtof",
    "atof",
];
/// Functions of real numbers whose models know the range of results only.
const CURVES: &[&str] = &["sin", "cos", "tanh", "atan", "exp", "exp2", "cosh"];
/// Functions of real numbers with one right result (up to rounding), of which nothing is known here; `float` and `long double` ones have a letter
/// more.
const MATHEMATICAL: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan2",
    "atanh",
    "cbrt",
    "erf",
    "erfc",
    "exp10",
    "expm1",
    "frexp",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "nexttoward",
    "nextdown",
    "nextup",
    "pow",
    "pow10",
    "remainder",
    "remquo",
    "roundeven",
    "scalb",
    "scalbln",
    "scalbn",
    "significand",
    "sinh",
    "tan",
    "tgamma",
    "y0",
    "y1",
];
/// Other functions of the library with one right result, of which nothing is known here.
const COMPUTED: &[&str] = &[
    "a64l",
    "basename",
    "btowc",
    "cabs",
    "carg",
    "crypt",
    // What is left of texts that stand for numbers, and the parts of a date.
    "__decimal",
    "__decimalf",
    "__calendar",
    "__date_text",
    "dirname",
    "drem",
    "ecvt",
    "fcvt",
    "fma",
    "gamma",
    "inet_addr",
    "inet_ntoa",
    "inet_network",
    "jn",
    "l64a",
    "fegetround",
    "fetestexcept",
    "fnmatch",
    "mblen",
    "mbrlen",
    "memicmp",
    "strcasecmp_l",
    "strcmpi",
    "strcoll_l",
    "stricmp",
    "strncasecmp_l",
    "strnicmp",
    "strverscmp",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "towctrans",
    "towlower",
    "towupper",
    "wcscasecmp",
    "wcscoll",
    "wcscspn",
    "wcsncasecmp",
    "wcspbrk",
    "wcsspn",
    "wctob",
    "wcswidth",
    "wcwidth",
    "yn",
];
/// Functions that fill the structure that one of their arguments points to, if they return zero and not -1.
const FILLERS: &[(&str, usize)] = &[
    ("stat", 1),
    ("lstat", 1),
    ("fstat", 1),
    ("stat64", 1),
    ("lstat64", 1),
    ("fstat64", 1),
    ("fstatat", 2),
    ("__xstat", 2),
    ("__lxstat", 2),
    ("__fxstat", 2),
    ("statfs", 1),
    ("fstatfs", 1),
    ("statvfs", 1),
    ("uname", 0),
    ("sysinfo", 0),
    ("getrusage", 1),
    ("getrlimit", 1),
    ("getrlimit64", 1),
    ("clock_getres", 1),
    ("tcgetattr", 1),
    ("sigemptyset", 0),
    ("sigfillset", 0),
    ("sigaddset", 0),
    ("sigdelset", 0),
    ("sigpending", 0),
    ("sigprocmask", 2),
    ("pthread_sigmask", 2),
];

/// Functions that return something and have no effect that the program could notice, except for the number of an error.
const UNNOTICED: &[&str] = &[
    "puts",
    "fputs",
    "putchar",
    "fputc",
    "putc",
    "perror",
    "fflush",
    "fclose",
    "fopen",
    "fseek",
    "ftell",
    "rewind",
    "feof",
    "ferror",
    "clearerr",
    "setbuf",
    "setvbuf",
    "write",
    "fwrite",
    "send",
    "open",
    "close",
    "unlink",
    "remove",
    "isatty",
    "fsync",
    "openlog",
    "closelog",
    "sleep",
    "usleep",
    "clock",
    "srand",
    "srandom",
    "sched_yield",
    "getpid",
    "getppid",
    "getuid",
    "geteuid",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "pthread_self",
];

/// What is known of the result of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It lies between these.
    Between(i128, i128),
    /// It is at least this.
    AtLeast(i128),
    /// It is at least this, and at most what the argument at a place says.
    UpTo(i128, usize),
}

/// Functions that return a status, a number of something or a count of what they have done, with what their parameters are: integers (`i`),
/// text (`s`) and other pointers (`p`). Functions with other parameters, as in a kernel, mean something else.
const OUTCOMES: &[(Outcome, &[(&str, &str)])] = &[
    (
        Outcome::Between(-1, 0),
        &[
            ("access", "si"),
            ("chdir", "s"),
            ("chmod", "si"),
            ("close", "i"),
            ("fclose", "p"),
            ("fflush", "p"),
            ("fseek", "pii"),
            ("fseeko", "pii"),
            ("fsync", "i"),
            ("ftruncate", "ii"),
            ("link", "ss"),
            ("mkdir", "si"),
            ("remove", "s"),
            ("rename", "ss"),
            ("rmdir", "s"),
            ("setenv", "ssi"),
            ("symlink", "ss"),
            ("truncate", "si"),
            ("unlink", "s"),
            ("unsetenv", "s"),
            ("usleep", "i"),
        ],
    ),
    (Outcome::Between(0, 1), &[("isatty", "i")]),
    (Outcome::Between(0, i32::MAX as i128), &[("lrand48", "")]),
    (Outcome::Between(i32::MIN as i128, i32::MAX as i128), &[("mrand48", "")]),
    (
        Outcome::AtLeast(-1),
        &[
            ("clock", ""),
            ("dup", "i"),
            ("dup2", "ii"),
            ("fileno", "p"),
            ("fputs", "sp"),
            ("ftell", "p"),
            ("ftello", "p"),
            ("open", "si"),
            ("puts", "s"),
            ("sysconf", "i"),
        ],
    ),
    (
        Outcome::AtLeast(0),
        &[
            ("getppid", ""),
            ("pthread_mutex_init", "pp"),
            ("pthread_mutex_lock", "p"),
            ("pthread_mutex_trylock", "p"),
            ("pthread_mutex_unlock", "p"),
            ("pthread_mutex_destroy", "p"),
        ],
    ),
    (Outcome::AtLeast(1), &[("getpid", ""), ("getpagesize", "")]),
    (Outcome::UpTo(0, 0), &[("sleep", "i")]),
    (Outcome::UpTo(0, 2), &[("fwrite", "piip")]),
    (Outcome::UpTo(-1, 2), &[("write", "ipi"), ("send", "ipii")]),
];

/// What is known of the result of a function with such parameters.
pub(super) fn outcome(plain: &str, parameters: &str) -> Option<Outcome> {
    OUTCOMES.iter().find(|(_, names)| names.contains(&(plain, parameters))).map(|o| o.0)
}

/// The functions that write values as a format says, and the place of the format among their arguments.
const PRINTERS: &[(&str, usize)] = &[
    ("printf", 0),
    ("fprintf", 1),
    ("dprintf", 1),
    ("vprintf", 0),
    ("vfprintf", 1),
    ("vdprintf", 1),
    ("printk", 0),
    ("syslog", 1),
    ("vsyslog", 1),
    ("warn", 0),
    ("warnx", 0),
    ("vwarn", 0),
    ("vwarnx", 0),
    ("__printf_chk", 1),
    ("__fprintf_chk", 2),
    ("__dprintf_chk", 2),
    ("__vprintf_chk", 1),
    ("__vfprintf_chk", 2),
    ("__vdprintf_chk", 2),
    ("__syslog_chk", 2),
];

/// The functions that read values as a format says, and the place of the format among their arguments.
const SCANNERS: &[(&str, usize)] = &[
    ("scanf", 0),
    ("__isoc99_scanf", 0),
    ("__isoc23_scanf", 0),
    ("fscanf", 1),
    ("__isoc99_fscanf", 1),
    ("__isoc23_fscanf", 1),
];

/// The functions that read values from a text.
const TEXT_SCANNERS: &[&str] = &["sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "__builtin_sscanf"];

/// Functions that cannot be represented, and what they do.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "threads",
        &[
            "pthread_create",
            "pthread_once",
            "pthread_cancel",
            "pthread_join",
            "pthread_getspecific",
            "pthread_setspecific",
            "sem_getvalue",
            "thrd_create",
            "thrd_join",
            "call_once",
            "clone",
            "kthread_create",
            "kthread_run",
        ],
    ),
    (
        "processes",
        &[
            "fork",
            "vfork",
            "execl",
            "execlp",
            "execle",
            "execv",
            "execve",
            "execvp",
            "execvpe",
            "posix_spawn",
            "posix_spawnp",
            "wait",
            "waitpid",
            "wait3",
            "wait4",
            "waitid",
        ],
    ),
    (
        "jumps out of functions",
        &[
            "setjmp",
            "_setjmp",
            "sigsetjmp",
            "__sigsetjmp",
            "longjmp",
            "_longjmp",
            "siglongjmp",
            "getcontext",
            "setcontext",
            "makecontext",
            "swapcontext",
        ],
    ),
    (
        "functions that signals call",
        &[
            "signal",
            "__sysv_signal",
            "bsd_signal",
            "sigaction",
            "sigset",
            "timer_create",
            "setitimer",
            "alarm",
        ],
    ),
    ("sets of signals", &["sigwait", "sigwaitinfo"]),
    ("functions that are called at the end", &["on_exit", "at_quick_exit"]),
    (
        "functions that are called back",
        &[
            "qsort_r", "qsort_s", "lfind", "lsearch", "tsearch", "tfind", "tdelete", "twalk", "ftw", "nftw",
            "scandir", "glob",
        ],
    ),
    (
        "memory from elsewhere",
        &["realloc", "reallocarray", "pvalloc", "mmap", "mremap", "brk", "sbrk", "shmat", "dlsym"],
    ),
    (
        "text that is made from values",
        &[
            "vasprintf",
            "strptime",
            "ctime_r",
            "asctime_r",
            "strerror_r",
            "inet_ntop",
            "strfromd",
            "strfmon",
            "wcsftime",
            "sprintf_s",
            "ctime_s",
            "asctime_s",
            "itoa",
            "_itoa",
            "ltoa",
            "utoa",
            "ultoa",
            "confstr",
        ],
    ),
    (
        "text that is changed",
        &["strrev", "strlwr", "strupr", "strset", "strnset", "memfrob", "strfry", "getsubopt"],
    ),
    (
        "copies of this kind",
        &[
            "swab",
            "strxfrm",
            "strxfrm_l",
            "wcsxfrm",
            "memcpy_s",
            "memmove_s",
            "memset_s",
            "strcpy_s",
            "strncpy_s",
            "strcat_s",
            "strncat_s",
            "strtok_s",
        ],
    ),
    ("tables and lists", &["hcreate", "hsearch", "hsearch_r", "insque", "remque"]),
    ("rounding in another direction", &["fesetround", "fesetenv", "feupdateenv", "__setfpucw"]),
    ("matches and translations of text", &["regexec", "iconv", "wordexp"]),
    (
        "wide characters",
        &[
            "wcsstr",
            "wcstok",
            "wcstol",
            "wcstoul",
            "wcstoll",
            "wcstoull",
            "wcstod",
            "wcsdup",
            "wcpcpy",
            "wmempcpy",
            "mbtowc",
            "mbrtowc",
            "mbstowcs",
            "mbsrtowcs",
            "wctomb",
            "wcrtomb",
            "wcstombs",
            "wcsrtombs",
            "mbsnrtowcs",
            "wcsnrtombs",
            "mbrtoc16",
            "mbrtoc32",
            "c16rtomb",
            "c32rtomb",
            "wcstof",
            "wcstold",
            "wcstoimax",
            "wcstoumax",
            "fgetws",
            "ungetwc",
        ],
    ),
    (
        "numbers of this kind",
        &[
            "strtold",
            "gcvt",
            "modfl",
            "frexpl",
            "remquo",
            "remquof",
            "remquol",
            "sincos",
            "sincosf",
            "sincosl",
            "lgamma_r",
            "lgammaf_r",
            "lgammal_r",
            "random_r",
            "drand48_r",
            "erand48",
            "nrand48",
            "jrand48",
        ],
    ),
    (
        "input of this kind",
        &[
            "gets",
            "readlinkat",
            "recvfrom",
            "recvmsg",
            "readv",
            "pread64",
            "preadv",
            "vscanf",
            "vfscanf",
            "vsscanf",
            "scanf_s",
            "fscanf_s",
            "sscanf_s",
            "wscanf",
            "fwscanf",
            "swscanf",
            "gets_s",
            "getentropy",
            "arc4random_buf",
            "fgets_unlocked",
            "fread_unlocked",
            "getopt",
            "getopt_long",
            "getopt_long_only",
            "getpass",
            "ioctl",
            "fcntl",
        ],
    ),
    (
        "clocks",
        &[
            "mktime",
            "timegm",
            "timespec_get",
            "times",
            "clock_nanosleep",
            "getitimer",
            "gmtime_s",
            "localtime_s",
            "ftime",
        ],
    ),
    (
        "what the system tells",
        &[
            "gethostname",
            "realpath",
            "getlogin_r",
            "ttyname_r",
            "getpwnam_r",
            "getpwuid_r",
            "getgrnam_r",
            "getgrgid_r",
            "getgroups",
        ],
    ),
    (
        "channels",
        &[
            "pipe2",
            "socketpair",
            "accept",
            "accept4",
            "getsockopt",
            "getsockname",
            "getpeername",
            "getaddrinfo",
            "inet_pton",
            "inet_aton",
            "ppoll",
            "pselect",
            "epoll_wait",
            "epoll_pwait",
        ],
    ),
    (
        "files of this kind",
        &["open_memstream", "fmemopen", "mkstemp", "mkostemp", "mkdtemp", "mktemp", "tmpnam", "ungetc"],
    ),
];

/// Is the call of a function an error?
pub(super) fn is_error(name: &str, arguments: usize, is_defined: bool) -> bool {
    ERRORS.contains(&name)
        || (!is_defined && (ASSERTS.contains(&name) || (SHORT_ASSERTS.contains(&name) && arguments >= 3)))
}

/// The functions whose call is an error: a text that mentions one means its own labels otherwise.
pub(super) fn error_names() -> impl Iterator<Item = &'static str> {
    ERRORS.iter().chain(ASSERTS).copied()
}

/// Is this a function that compilers know, so that they only warn about other declarations of it?
pub(super) fn is_library(name: &str) -> bool {
    let plain = plain(name);
    means_something(name) || is_unnoticed(plain) || is_reader(plain) || plain != name
}

/// The function that a name of a compiler or of a hardened library stands for.
pub(super) fn plain(name: &str) -> &str {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let checked = plain.strip_prefix("__").and_then(|p| p.strip_suffix("_chk"));
    checked.filter(|c| CHECKED.contains(c)).unwrap_or(plain)
}

/// The names under which a library function is called.
pub(super) fn variants(name: &str) -> [String; 4] {
    [name.to_owned(), format!("__builtin_{name}"), format!("__{name}_chk"), format!("__builtin___{name}_chk")]
}

/// Does a function end the program as a return from `main` does, so that functions for the end are called?
pub(super) fn ends_in_order(plain: &str) -> bool {
    matches!(plain, "exit" | "err" | "errx" | "verr" | "verrx")
}

/// Is this a twin of a library function that knows the size of the target?
pub(super) fn is_hardened(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("_chk")
}

/// Does a function end the program?
pub(super) fn ends(plain: &str) -> bool {
    ENDS.contains(&plain)
}

/// What a function does that cannot be represented.
pub(super) fn refused(plain: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(_, names)| names.contains(&plain)).map(|r| r.0)
}

/// Is this a function of real numbers whose model knows the range of its results only?
pub(super) fn is_curve(plain: &str) -> bool {
    CURVES.contains(&plain) || plain.strip_suffix('f').is_some_and(|plain| CURVES.contains(&plain))
}

/// Is the result of this function determined by its arguments, although it is not computed here?
pub(super) fn is_computed(plain: &str) -> bool {
    let is_one =
        |name: &str| MATHEMATICAL.contains(&name) || CURVES.contains(&name) || COMPUTED.contains(&name);
    is_one(plain) || plain.strip_suffix(['f', 'l']).is_some_and(is_one)
}

/// The argument of a function that fills a structure.
pub(super) fn filler(plain: &str) -> Option<usize> {
    FILLERS.iter().find(|f| f.0 == plain).map(|f| f.1)
}

/// The place of the format of a function that reads values.
pub(super) fn scanner(name: &str) -> Option<usize> {
    SCANNERS.iter().find(|s| s.0 == name).map(|s| s.1)
}

/// Does a function read values from a text?
pub(super) fn is_text_scanner(name: &str) -> bool {
    TEXT_SCANNERS.contains(&name)
}

/// Is one of the functions mentioned that read values from a text?
pub(super) fn is_scanned(is_mentioned: impl Fn(&str) -> bool) -> bool {
    TEXT_SCANNERS.iter().any(|name| is_mentioned(name))
}

/// Is one of the functions mentioned that read values from the input?
pub(super) fn is_input_scanned(is_mentioned: impl Fn(&str) -> bool) -> bool {
    SCANNERS.iter().any(|s| is_mentioned(s.0))
}

/// The place of the format of a function that writes values.
pub(super) fn printer(plain: &str) -> Option<usize> {
    PRINTERS.iter().find(|p| p.0 == plain).map(|p| p.1)
}

/// The functions that write values.
pub(super) fn printers() -> impl Iterator<Item = &'static str> {
    PRINTERS.iter().map(|p| p.0)
}

/// Has a function no effect that the program could notice?
pub(super) fn is_unnoticed(plain: &str) -> bool {
    UNNOTICED.contains(&plain)
}

/// Does a function with a model read input?
pub(super) fn is_reader(plain: &str) -> bool {
    READERS.contains(&plain)
}

/// Do calls of a function without body mean more than an arbitrary result, so that its address is worth more than that of
/// an unknown function?
pub(super) fn means_something(name: &str) -> bool {
    let plain = plain(name);
    is_error(name, 3, false)
        || ends(plain)
        || INSTRUCTIONS.contains(&plain)
        || refused(plain).is_some()
        || scanner(name).is_some()
        || is_text_scanner(name)
        || printer(plain).is_some()
        || filler(plain).is_some()
        || is_hardened(name)
        || ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"].iter().any(|p| name.starts_with(p))
}
