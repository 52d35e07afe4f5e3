extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Two indices that move towards each other stay within the array. */
int main(void) {
  int a[80], n = __VERIFIER_nondet_int();
  if (n < 1 || n > 80) return 0;
  int low = 0, high = n - 1;
  while (low < high) {
    check(0 <= low && low < n);
    check(0 <= high && high < n);
    int t = a[low];
    a[low] = a[high];
    a[high] = t;
    low++;
    high--;
  }
  check(low <= high + 2 && high >= 0);
  return 0;
}
