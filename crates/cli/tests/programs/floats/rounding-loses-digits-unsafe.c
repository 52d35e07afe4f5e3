// Above 2^24 not every integer is a number.
extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 16777000 || n > 16778000)
    return 0;
  if ((int)(float)n != n)
    __VERIFIER_error();
  return 0;
}
