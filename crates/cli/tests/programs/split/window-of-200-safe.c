extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* A window that is never wider than its buffer: an invariant is start <= end <= start + 200, with i <= end <= 200. */
int main(void) {
  int ring[200], start = 0, end = 0, i = 0;
  while (end < 200) {
    ring[end] = end;
    end++;
    if (i < end && __VERIFIER_nondet_int()) i++;
    check(0 <= i && i <= end && end <= 200);
  }
  while (__VERIFIER_nondet_int()) {
    if (end - start < 200 && end < 100000) end++;
    if (start < end && __VERIFIER_nondet_int()) start++;
    check(start <= end && end <= start + 200);
  }
  return 0;
}
