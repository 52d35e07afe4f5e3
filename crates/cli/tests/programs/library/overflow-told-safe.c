// Compilers' functions that tell whether an operation overflows.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  int r;
  unsigned u = __VERIFIER_nondet_uint(), v;
  unsigned long w;
  long l;
  int x = __VERIFIER_nondet_int();
  if (__builtin_add_overflow(x, 1, &r) ? x != 2147483647 || r >= 0 : r != x + 1) reach_error();
  if (__builtin_sub_overflow(u, 5u, &v) != (u < 5)) reach_error();
  if (__builtin_sub_overflow(3u, 5u, &r) || r != -2) reach_error();
  if (!__builtin_mul_overflow(1UL << 63, 2UL, &w) || __builtin_mul_overflow(1UL << 62, 2UL, &w) || w != 1UL << 63) reach_error();
  if (!__builtin_mul_overflow(-1L << 63, -1L << 63, &l) || !__builtin_mul_overflow(~0UL, -1L << 63, &w)) reach_error();
  if (!__builtin_add_overflow_p(200, 100, (unsigned char)0) || __builtin_add_overflow_p(200, 55, (unsigned char)0)) reach_error();
  return 0;
}
