// Twice a number is exact as long as it stays finite, and so is half of that.
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (!(x >= -1000.0f && x <= 1000.0f))
    return 0;
  float twice = x + x;
  if (twice * 0.5f != x)
    __VERIFIER_error();
  float product = x * x;
  if (product < 0.0f)
    __VERIFIER_error();
  return 0;
}
