extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern int temperature(void);

int main(void) {
  int limit = 100;
  int x = temperature();
  __VERIFIER_assume(x > limit);
  __VERIFIER_assume(x < 0);
  __VERIFIER_assert(x == 5);
  return 0;
}
