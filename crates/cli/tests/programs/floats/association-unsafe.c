/* Addition is not associative. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern double __VERIFIER_nondet_double(void);
int main(void) { double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(), z = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0.0 && x < 1.0 && y>0.0 && y < 1.0 && z > 0.0 && z < 1.0); if ((x + y) + z != x + (y + z)) __VERIFIER_error(); return 0; }
