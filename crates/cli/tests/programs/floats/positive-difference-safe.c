// The difference of two numbers, or zero.
extern void __VERIFIER_error(void);
extern double fdim(double, double);

int main(void) {
  if (fdim(4, 1) != 3.0 || fdim(1, 4) != 0.0 || fdim(1e308, -1e308) <= 1e308)
    __VERIFIER_error();
  return 0;
}
