// How much was written is known, and so are other results that only the arguments decide.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
int printf(const char *, ...);
int putchar(int);
int ffs(int);
char *strerror(int);
double sin(double);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int n = printf("%s%c|\n", "abc", x);
  check(n == 6 || n < 0);
  n = putchar('a' + 256);
  check(n == 'a' || n < 0);
  check(ffs(24) == 4 && strerror(x) != 0);
  check(__builtin_object_size("abc", 0) == 4);
  char t[10];
  struct { int a, b[4]; } s;
  check(__builtin_object_size(&t[3], 1) == 7 && __builtin_object_size(&s, 3) == sizeof s && __builtin_object_size(&s.b[2], 0) == 8);
  return 0;
}
