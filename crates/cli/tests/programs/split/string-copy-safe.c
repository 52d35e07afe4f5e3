extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Copying a string with its terminator: the copy is as long as the string. */
int main(void) {
  char s[64], t[64];
  int end = __VERIFIER_nondet_int(), i = 0, j = 0;
  if (end < 0 || end >= 64) return 0;
  s[end] = 0;
  while (s[i] != 0) {
    check(0 <= j && j < end);
    t[j] = s[i];
    i++;
    j++;
  }
  check(j <= end && j == i);
  t[j] = 0;
  check(t[i] == 0);
  return 0;
}
