/* A polynomial in one variable, in the scheme of Horner. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float angle = __VERIFIER_nondet_float();
  __VERIFIER_assume(angle >= -1.5f && angle <= 1.5f);
  float s = angle * angle;
  float sine = angle * (1.0f - s * (1.0f / 6.0f - s / 120.0f));
  if (!(sine < 1.01f && sine > -1.01f)) __VERIFIER_error();
  return 0;
}
