// The text depends on an input.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int sscanf(const char *, const char *, ...);
int main(void) {
  char t[3] = "<5";
  int a = 0, x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9) return 0;
  t[1] = (char)('0' + x);
  if (sscanf(t, "<%1d", &a) != 1 || a == 7) reach_error();
  return 0;
}
