/* A product by addition does not depend on the order of its factors, even if it wraps. */
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned product(unsigned a, unsigned b) {
    return b == 0 ? 0 : a + product(a, b - 1);
}

int main(void) {
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (product(a, b) != product(b, a))
        reach_error();
    return 0;
}
