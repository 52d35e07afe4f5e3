/* A large number absorbs one. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern float __VERIFIER_nondet_float(void);
int main(void) { float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x > 0.0f && x < 1e10f); if (x + 1.0f == x) __VERIFIER_error(); return 0; }
