// Programs hide values from the compiler in this way; they stay what they are.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
static char bytes[9];
static int distance = (char *)&bytes[7] - bytes, apart = (int)((long *)(bytes + 8) - (long *)bytes);
int main(void) {
  int n = __VERIFIER_nondet_int(), a = n, b = 1, *p = &a;
  __asm__("" : "+r"(a));
  check(a == n);
  __asm__ volatile("" : "=r"(b) : "0"(a ^ 1));
  check(b == (n ^ 1));
  __asm__ volatile("" : "+g"(b), "+r"(p) : : "memory");
  check(b == (n ^ 1) && p == &a);
  __asm__("" : "=r"(a), [second] "=r"(b) : "0"(b), "[second]"(a));
  check(b == n && a == (n ^ 1));
  __asm__ volatile("" : "=m"(a));
  check(*p == (n ^ 1));
  check(distance == 7 && apart == 1);
  return 0;
}
