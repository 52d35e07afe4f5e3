/* Comparisons with NaN. */
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);
int main(void) { float x = __VERIFIER_nondet_float(); if (!__builtin_isnan(x)) { if (!(x == x)) __VERIFIER_error(); } else if (x < 1.0f || x >= 1.0f || x == 2.0f) __VERIFIER_error(); return 0; }
