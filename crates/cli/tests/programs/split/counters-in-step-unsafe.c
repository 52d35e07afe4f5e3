extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Two counters that go down in step, but do not start together. */
int main(void) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  if (i < 0 || j < 0) return 0;
  int x = i, y = j;
  while (x != 0) {
    x--;
    y--;
  }
  if (i <= j) check(y == 0);
  return 0;
}
