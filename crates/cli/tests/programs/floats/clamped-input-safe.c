/* A value is brought into its range, NaN included; halves are exact. */
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);
float clamp(float x, float lo, float hi) { if (!(x >= lo)) return lo; if (x > hi) return hi; return x; }
int main(void) { float u = clamp(__VERIFIER_nondet_float(), -1.0f, 1.0f); float y = u * 0.5f + 2.0f;
  if (!(y >= 1.5f && y <= 2.5f)) __VERIFIER_error(); return 0; }
