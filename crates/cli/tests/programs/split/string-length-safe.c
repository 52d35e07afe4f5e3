extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* The end of a string that is known to end within its buffer. */
int main(void) {
  char s[100];
  int size = __VERIFIER_nondet_int(), i = 0, count = 0;
  if (size < 1 || size > 100) return 0;
  s[size - 1] = 0;
  while (s[i] != 0) {
    i++;
    count++;
    check(0 <= i && i < size);
  }
  check(count == i && count < size);
  return 0;
}
