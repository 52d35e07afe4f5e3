/* Two steps of Newton's method for a root of the cosine's polynomial, near its maximum: the slope stays away from zero. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern double __VERIFIER_nondet_double(void);
double value(double t) { double s = t * t; return 1.0 - s / 2.0 + s * s / 24.0; }
double slope(double t) { return t * t * t / 6.0 - t; }
int main(void) {
  double start = __VERIFIER_nondet_double();
  __VERIFIER_assume(start >= 1.25 && start <= 1.75);
  double t = start - value(start) / slope(start);
  t = t - value(t) / slope(t);
  if (!(t > 1.5 && t < 1.625)) __VERIFIER_error();
  return 0;
}
