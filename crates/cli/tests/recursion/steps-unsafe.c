/* One of the small numbers needs many steps. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static int steps(unsigned n) {
    if (n == 1)
        return 0;
    return 1 + steps(n % 2 ? 3 * n + 1 : n / 2);
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 100)
        return 0;
    if (steps(n) >= 118)
        reach_error();
    return 0;
}
