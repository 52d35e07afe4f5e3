// How much was written is known, and so are other results that only the arguments decide.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
int printf(const char *, ...);
int putchar(int);
int ffs(int);
double strtod(const char *, char **);
double atof(const char *);
char *strerror(int);
double sin(double);
int main(void) {
  int x = __VERIFIER_nondet_int();
  char *end;
  if (x < 10 || x > 99) return 0;
  check(printf("%d|%s\n", x, "abc") == 7);
  check(putchar('a' + 256) == 'a');
  check(ffs(24) == 4 && strerror(x) != 0);
  check(atof("-2.25") == -2.25 && strtod("1e3x", &end) == 1000 && *end == 'x');
  printf("%f\n", sin(2));
  check(__builtin_object_size("abc", 0) == 4);
  return 0;
}
