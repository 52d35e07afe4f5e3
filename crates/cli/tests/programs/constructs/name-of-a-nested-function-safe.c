extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int inner(void) { return sizeof __func__ * 100 + __func__[0]; }
  if (n == 1 && inner() != 600 + 'i') reach_error();
  return 0;
}
