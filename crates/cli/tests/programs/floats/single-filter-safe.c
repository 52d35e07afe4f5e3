/* The same in single precision. */
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { float y = 0.0f; while (__VERIFIER_nondet_int()) { float u = __VERIFIER_nondet_float();
   if (!(u >= -1.0f && u <= 1.0f)) u = 0.0f; y = 0.9f * y + 0.1f * u; if (!(y <= 1.5f && y >= -1.5f)) __VERIFIER_error(); } return 0; }
