/* The same, but the divisor need not be larger than 1. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int divisor(int a, int b) {
    if (a == b)
        return a;
    return a > b ? divisor(a - b, b) : divisor(a, b - a);
}

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m <= 100 || n <= 100 || m > 200 || n > 200)
        return 0;
    if (divisor(m, n) == 1)
        reach_error();
    return 0;
}
