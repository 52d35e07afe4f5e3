/* Subtraction until the rest is smaller leaves the remainder. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int rest(int n, int k) {
    return n < k ? n : rest(n - k, k);
}

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    if (n < 0 || k <= 0)
        return 0;
    if (rest(n, k) != n % k)
        reach_error();
    return 0;
}
