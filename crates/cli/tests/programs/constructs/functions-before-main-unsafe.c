extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int order;
__attribute__((constructor)) static void late(void) { order = order * 10 + 2; }
__attribute__((constructor(200))) static void early(void) { order = order * 10 + 1; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n + order == 112) reach_error();
  return 0;
}
