extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* The inner loop goes one too far. */
int main(void) {
  int a[4], n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  int i, j, rows = 0;
  for (i = 0; i < n; i++) {
    for (j = i; j <= n; j++) {
      check(0 <= i && i <= j && j < 4);
      if (a[j] < a[i]) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
      }
    }
    check(j == n + 1);
    rows++;
  }
  check(rows == n);
  return 0;
}
