extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Extracting from one index up to another, or to the end of the string. */
int main(void) {
  char s[128], t[128];
  int end = __VERIFIER_nondet_int(), from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
  if (end < 0 || end >= 128) return 0;
  if (from < 0 || from > to || from > end) return 0;
  s[end] = 0;
  int i = from, j = 0;
  while (i < to && s[i] != 0) {
    check(from <= i && i < end);
    check(0 <= j && j < 128);
    t[j] = s[i];
    i++;
    j++;
  }
  check(j <= end);
  t[j] = 0;
  return 0;
}
