// Words, characters and sets that 'scanf' reads, and numbers of a limited width.
extern void __VERIFIER_error(void);
extern int scanf(const char *, ...);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }

int main(void) {
    char word[4] = "?", set[3] = "??", two[2] = { 1, 1 };
    int n = 0;
    short decimal = 0;
    unsigned char one = 0;
    if (scanf("%3s", word) == 1) {
        assert(word[0] != ' ' && word[0] != '\n' && word[0] != '\t');
        assert(word[3] == 0);
    } else {
        assert(word[0] == '?' && word[1] == 0);
    }
    if (scanf("%2[ab]", set) == 1) assert((set[0] == 'a' || set[0] == 'b') && (set[1] == 0 || set[1] == 'a' || set[1] == 'b') && set[2] == 0);
    if (scanf("%*s %1c", two) < 1) assert(two[0] == 1);
    else assert(two[0] != ' ' && two[0] != '\n');
    assert(two[1] == 1);
    if (scanf("%2d%4hi,%*[^%d]%1hhu", &n, &decimal, &one) == 3) {
        assert(n >= -9 && n <= 99);
        assert(decimal >= -999 && decimal <= 9999);
        assert(one <= 9);
    }
    return 0;
}
