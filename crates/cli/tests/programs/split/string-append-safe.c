extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Appending a string to one whose length is known, as far as there is room. */
int main(void) {
  char s[200], t[100];
  int length = __VERIFIER_nondet_int(), last = __VERIFIER_nondet_int();
  if (length < 0 || length >= 100 || last < 0 || last >= 100) return 0;
  s[length] = 0;
  t[last] = 0;
  int i = length, j = 0;
  while (i < 199 && t[j] != 0) {
    check(0 <= j && j <= i && i < 200);
    s[i] = t[j];
    i++;
    j++;
  }
  check(length <= i && i < 200 && j <= last);
  s[i] = 0;
  return 0;
}
