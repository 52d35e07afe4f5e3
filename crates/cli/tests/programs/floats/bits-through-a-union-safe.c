// The sign, taken off through a union, leaves the magnitude: every number but NaN equals it or its opposite.
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);

union shape {
  float value;
  unsigned word;
};

static float magnitude(float x) {
  union shape u;
  u.value = x;
  u.word &= 0x7fffffffu;
  return u.value;
}

int main(void) {
  float x = __VERIFIER_nondet_float();
  float y = magnitude(x);
  if (x == x && y != x && y != -x)
    __VERIFIER_error();
  if (y < 0.0f)
    __VERIFIER_error();
  return 0;
}
