/* A product by addition does not depend on the order of its factors. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int product(int a, int b) {
    return b == 0 ? 0 : a + product(a, b - 1);
}

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0 || a > 46340 || b > 46340)
        return 0;
    if (product(a, b) != product(b, a))
        reach_error();
    return 0;
}
