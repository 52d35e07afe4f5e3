extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Filling the first part of an array: the index stays within it, and all of the part is filled. */
int main(void) {
  int a[100], n = __VERIFIER_nondet_int(), value = __VERIFIER_nondet_int();
  if (n < 0 || n > 100) return 0;
  int i = 0, filled = 0;
  while (i < n) {
    check(0 <= i && i < 100);
    a[i] = value;
    i++;
    filled++;
  }
  check(filled == n);
  return 0;
}
