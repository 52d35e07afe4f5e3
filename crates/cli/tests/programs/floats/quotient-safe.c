/* A quotient by something that is at least one. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern double __VERIFIER_nondet_double(void);
int main(void) { double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 0.0 && x <= 10.0 && y >= 1.0 && y < 1e6); double q = x / y; if (!(q >= 0.0 && q <= 10.0)) __VERIFIER_error(); return 0; }
