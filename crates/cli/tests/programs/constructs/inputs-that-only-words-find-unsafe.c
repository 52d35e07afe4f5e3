extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

/* One input passes the test, behind it are loops that nobody unwinds. */
extern unsigned __VERIFIER_nondet_uint(void);
struct table { int head; int cells[100000]; };
struct table from, to;
int main(void) {
  struct table *p = &to, *q = &from;
  int i = 7;
  unsigned x = __VERIFIER_nondet_uint();
  if (x * x * 5u + 11u * x + (x >> 9) != 2577777197u) return 0;
  q->cells[i] = 1;
  *p = *q;
  if (p->cells[i]) reach_error();
  return 0;
}
