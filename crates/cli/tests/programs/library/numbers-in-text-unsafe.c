// `strtod` gives the number that is nearest to what is written.
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
double strtod(const char *, char **);
double atof(const char *);
double sin(double);
int printf(const char *, ...);
int main(void) {
  char *end;
  check(atof("-2.25") == -2.25 && atof(" 0.1") == 0.3 && atof("x") == 0);
  check(strtod("1e3x", &end) == 1000 && *end == 'x');
  // What is only printed need not be known.
  printf("%f\n", sin(2));
  return 0;
}
