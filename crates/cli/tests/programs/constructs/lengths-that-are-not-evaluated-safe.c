// The lengths in a type are evaluated where the size depends on them, and behind pointers only where the type is used.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
int main(void) {
  int x = __VERIFIER_nondet_int(), size;
  if (x < 1 || x > 9) return 0;
  int start = x;
  int (*q)[x++] = 0;
  check(x == start + 1);
  size = sizeof(int (*)[x++]);
  check(x == start + 1 && size == sizeof(void *));
  size = sizeof(int (*(*)(void))[x++]);
  check(x == start + 1);
  size = _Alignof(int[x++]);
  check(x == start + 1 && size == _Alignof(int));
  size = sizeof(int[x++]);
  check(x == start + 2 && size == 4 * (start + 1));
  typeof(int (*)[x++]) a;
  check(x == start + 3);
  size = sizeof(typeof((x++, q)));
  check(x == start + 3);
  typeof((x++, q)) b;
  check(x == start + 4 && sizeof *b == 4 * start);
  size = sizeof(typeof(*(x++, q)));
  check(x == start + 5 && size == 4 * start);
  return 0;
}
