// The parts of floating-point numbers: exponents and whole parts.
extern void reach_error(void);
extern double modf(double, double *), frexp(double, int *), ldexp(double, int), scalbn(double, int), logb(double), nan(const char *);
extern float modff(float, float *), frexpf(float, int *), ldexpf(float, int);
extern int ilogb(double);
static void assert(int holds) { if (!holds) reach_error(); }
int main(void) {
  double whole;
  float few;
  int e;
  assert(modf(-3.75, &whole) == -0.75 && whole == -3);
  assert(modff(2.5f, &few) == 0.5f && few == 2);
  assert(modf(-1.0 / 0.0, &whole) == 0 && whole < -1e308);
  assert(frexp(-24, &e) == -0.75 && e == 5);
  assert(frexp(0x1p-1074, &e) == 0.5 && e == -1073);
  assert(frexp(0x1.fffffffffffffp1023, &e) == 0x1.fffffffffffffp-1 && e == 1024);
  assert(frexp(0, &e) == 0 && e == 0);
  assert(frexpf(0.375f, &e) == 0.75f && e == -1);
  assert(ldexp(0.75, 4) == 12 && ldexp(1, 2000) > 1e308 && ldexpf(3, -1) == 1.5f);
  assert(ldexp(0x1.8000000000001p0, -1074) == 0x1p-1074 * 2 && scalbn(1, -1074) == 0x1p-1074 && scalbn(1, -1075) == 0);
  assert(ilogb(10) == 3 && ilogb(0) == -2147483647 - 1 && logb(0.2) == -3);
  whole = nan("");
  assert(whole != whole);
  return 0;
}
