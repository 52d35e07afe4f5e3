extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n != 2) return 0;
  double _Complex z = 1.0 + 2.0i;
  z = z * z;
  if (__real__ z != -3.0 || __imag__ z != 4.0) reach_error();
  int _Complex k = n + 1i;
  k = k * k;
  if (__real__ k != 3 || __imag__ k != 4) reach_error();
  return 0;
}
