// creal, cimag and conj are what the library says, also of real arguments; they are not functions that return anything.
double creal(double _Complex);
double cimag(double _Complex);
double _Complex conj(double _Complex);
float cimagf(float _Complex);
extern void reach_error(void);

int main(void) {
  double _Complex a = 1.0 + 2.0i, b = conj(a);
  if (creal(a * b) != 5.0 || cimag(a * b) != 0.0) reach_error();
  if (creal(b) != 1.0 || cimag(b) != -2.0) reach_error();
  if (cimagf(a) != 2.0f) reach_error();
  if (creal(7) != 7.0 || cimag(7) != 0.0) reach_error();
  return 0;
}
