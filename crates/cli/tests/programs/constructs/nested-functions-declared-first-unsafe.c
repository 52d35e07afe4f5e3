extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int parity(int n) {
  auto int even(int);
  int odd(int k) { return k == 0 ? 0 : even(k - 1); }
  int even(int k) { return k == 0 ? 1 : odd(k - 1); }
  return even(n);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == 4 && parity(n) == 1) reach_error();
  return 0;
}
