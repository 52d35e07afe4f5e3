/* A filter of the first order stays bounded in spite of rounding. */
extern void __VERIFIER_error(void);
extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { double y = 0.0; while (__VERIFIER_nondet_int()) { double u = __VERIFIER_nondet_double();
   if (!(u >= -1.0 && u <= 1.0)) u = 0.0; y = 0.9 * y + 0.1 * u; if (!(y <= 1.5 && y >= -1.5)) __VERIFIER_error(); } return 0; }
