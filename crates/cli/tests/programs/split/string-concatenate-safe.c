extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Appending a string to another one: what is written stays within the buffer. */
int main(void) {
  char s[200], t[100];
  int end = __VERIFIER_nondet_int(), last = __VERIFIER_nondet_int();
  if (end < 0 || end >= 100 || last < 0 || last >= 100) return 0;
  s[end] = 0;
  t[last] = 0;
  int i = 0, j = 0;
  while (s[i] != 0) i++;
  check(0 <= i && i <= end);
  while (t[j] != 0) {
    check(0 <= j && j <= i && i < 200);
    s[i] = t[j];
    i++;
    j++;
  }
  check(j <= last);
  return 0;
}
