/* The results follow a recurrence, as far as the argument goes. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int fibonacci(int n) {
    if (n < 1)
        return 0;
    return n == 1 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 25)
        return 0;
    int value = fibonacci(n);
    if (value > 75025 || (n == 12 && value != 144))
        reach_error();
    return 0;
}
