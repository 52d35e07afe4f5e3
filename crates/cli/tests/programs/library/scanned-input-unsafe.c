// What 'scanf' reads may be any word, of any length up to its width, and any number that fits its width.
extern void __VERIFIER_error(void);
extern int scanf(const char *, ...);

int main(void) {
    char word[4], line[4];
    unsigned n;
    if (scanf("%3s %3[^\n]%2u", word, line, &n) != 3) return 0;
    if (word[0] == 'k' && word[1] == 0 && line[1] == ' ' && line[2] == ']' && n == -9u) __VERIFIER_error();
    return 0;
}
