/* Additions in recursion, whose sum does not wrap though its parts are not bounded. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int sum(int a, int b) {
    if (b == 0)
        return a;
    return b > 0 ? sum(a + 1, b - 1) : sum(a - 1, b + 1);
}

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0 || a > 1073741823 || b > 1073741823)
        return 0;
    if (sum(a, b) != a + b)
        reach_error();
    return 0;
}
