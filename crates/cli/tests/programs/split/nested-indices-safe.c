extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* All pairs of an upper triangle. */
int main(void) {
  int a[300], n = __VERIFIER_nondet_int();
  if (n < 0 || n > 300) return 0;
  int i, j, rows = 0;
  for (i = 0; i < n; i++) {
    for (j = i; j < n; j++) {
      check(0 <= i && i <= j && j < 300);
      if (a[j] < a[i]) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
      }
    }
    check(j == n);
    rows++;
  }
  check(rows == n);
  return 0;
}
