extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int twice(int n) { return 2 * n; }
int doubled(int) __attribute__((alias("twice")));
int main(void) {
  int n = __VERIFIER_nondet_int();
  int (*f)(int) = doubled;
  if (n < 0 || n > 1000) return 0;
  if (doubled(n) != n + n || f(n) != n + n || f != twice) reach_error();
  return 0;
}
