// The longest number has eleven characters, and the line ends with another one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int printf(const char *, ...);
int main(void) {
  if (printf("%d\n", __VERIFIER_nondet_int()) > 11) reach_error();
  return 0;
}
