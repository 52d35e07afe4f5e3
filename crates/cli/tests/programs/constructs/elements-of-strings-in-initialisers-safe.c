// An initialiser of a static object may use an element of a string.
extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }

static const char first = "hello"[0];
static int sum = "ab"[1] + 1, end = "ab"[2], letter = "xyz"[2];
static char letters[] = { "q"[0], 'r', "s"[0] };
static unsigned short wide[2] = { [1] = u"\u20ac"[0] };

int main(void) {
    static int inside = "hello"[4];
    assert(first == 'h');
    assert(sum == 'c' && end == 0 && letter == 'z');
    assert(letters[0] == 'q' && letters[2] == 's');
    assert(wide[0] == 0 && wide[1] == 0x20ac);
    assert(inside == 'o');
    return 0;
}
