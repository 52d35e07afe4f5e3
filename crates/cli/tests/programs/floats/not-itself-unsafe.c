/* NaN is not equal to itself. */
extern void __VERIFIER_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) { double x = __VERIFIER_nondet_double(); if (!(x == x)) __VERIFIER_error(); return 0; }
