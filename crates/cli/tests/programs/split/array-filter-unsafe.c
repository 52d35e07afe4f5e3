extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Keeping the elements that are wanted: the loop goes one element too far. */
int main(void) {
  int a[50], kept[50], n = __VERIFIER_nondet_int();
  if (n < 0 || n > 50) return 0;
  int i = 0, j = 0, dropped = 0;
  while (i <= n) {
    check(0 <= j && j <= i && i < 50);
    if (a[i] > 0) {
      kept[j] = a[i];
      j++;
    } else {
      dropped++;
    }
    i++;
  }
  check(j <= n && dropped >= 0);
  return 0;
}
