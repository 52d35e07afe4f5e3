extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

/* A nested function that is declared with auto has its body further on. */
int parity(int n) {
  auto int even(int);
  int steps = 0;
  int odd(int k) { steps++; return k == 0 ? 0 : even(k - 1); }
  int even(int k) { steps++; return k == 0 ? 1 : odd(k - 1); }
  return even(n) * 100 + steps;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 3 || n > 4) return 0;
  if (n == 4 && parity(n) != 105) reach_error();
  if (n == 3 && parity(n) != 4) reach_error();
  return 0;
}
