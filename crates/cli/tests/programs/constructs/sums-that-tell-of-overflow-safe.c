extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int(), r;
  unsigned u;
  long l;
  unsigned long long q;
  if (n != 1) return 0;
  if (!__builtin_sadd_overflow(2147483647, n, &r) || r != -2147483647 - 1) reach_error();
  if (__builtin_ssub_overflow(5, n, &r) || r != 4) reach_error();
  if (!__builtin_usub_overflow(0, n, &u) || u != 4294967295u) reach_error();
  if (__builtin_smull_overflow(1l << 40, n + 1, &l) || l != 1l << 41) reach_error();
  if (!__builtin_umulll_overflow(1ull << 63, n + 1, &q) || q != 0) reach_error();
  if (__builtin_clrsb(n) != 30 || __builtin_clrsbll(-1) != 63) reach_error();
  return 0;
}
