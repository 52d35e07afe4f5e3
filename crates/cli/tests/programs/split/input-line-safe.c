extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Reading a line into a buffer, and then looking for its end again. */
int main(void) {
  char line[32];
  int i = 0, k = 0;
  char c = __VERIFIER_nondet_char();
  while (i < 31 && c != '\n') {
    check(0 <= i && i < 31);
    line[i] = c;
    i++;
    c = __VERIFIER_nondet_char();
  }
  line[i] = 0;
  while (line[k] != 0) {
    check(0 <= k && k < i);
    k++;
  }
  check(k <= 31);
  return 0;
}
