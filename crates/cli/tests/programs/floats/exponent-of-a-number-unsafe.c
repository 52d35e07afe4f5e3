// Only numbers with one exponent field reach the error.
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);

union shape {
  float value;
  unsigned word;
};

int main(void) {
  union shape u;
  u.value = __VERIFIER_nondet_float();
  if ((u.word >> 23 & 0xff) == 0x8c && (u.word & 0x7fffff) == 0x12345)
    __VERIFIER_error();
  return 0;
}
