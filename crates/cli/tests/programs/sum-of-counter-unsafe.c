// Nearly the fact about the sum of a counter; one number contradicts it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int sum = 0;
    for (int i = 1; i <= n; i++) sum += i == 17 ? 18 : i;
    if (2 * sum != n * (n + 1)) reach_error();
    return 0;
}
