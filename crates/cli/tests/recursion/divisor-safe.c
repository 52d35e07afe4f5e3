/* The greatest common divisor by differences divides its first argument. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int divisor(int a, int b) {
    if (a <= 0 || b <= 0)
        reach_error();
    if (a == b)
        return a;
    return a > b ? divisor(a - b, b) : divisor(a, b - a);
}

static int is_multiple(int m, int n) {
    if (m == 0)
        return 1;
    if (n > m)
        return 0;
    return is_multiple(m - n, n);
}

int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m <= 0 || n <= 0)
        return 0;
    if (!is_multiple(m, divisor(m, n)))
        reach_error();
    return 0;
}
