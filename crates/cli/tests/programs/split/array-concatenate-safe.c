extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* One array after the other: the second loop goes on where the first one stopped. */
int main(void) {
  int a[40], b[60], both[100];
  int m = __VERIFIER_nondet_int(), k = 0, i;
  if (m < 0 || m > 40) return 0;
  for (i = 0; i < m; i++) {
    check(0 <= k && k < 100);
    both[k] = a[i];
    k++;
  }
  check(k == m);
  int written = k;
  for (i = 0; k < 100; i++) {
    if (i >= 60) break;
    check(written <= k && k < 100 && i < 60);
    both[k] = b[i];
    k++;
  }
  check(k >= m && k <= 100);
  return 0;
}
