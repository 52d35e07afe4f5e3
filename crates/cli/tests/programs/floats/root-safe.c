/* The square root is monotone. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern double __VERIFIER_nondet_double(void);
extern double sqrt(double);
extern double fabs(double);
int main(void) { double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 4.0 && x <= 100.0); double r = sqrt(fabs(x)); if (!(r >= 2.0 && r <= 10.0)) __VERIFIER_error(); return 0; }
