extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int *p = malloc(2 * sizeof(int));
  p[0] = n;
  p[1] = 2;
  p = realloc(p, 4 * sizeof(int));
  p[3] = 4;
  if (p[0] != n || p[1] != 2 || p[3] != 4) reach_error();
  return 0;
}
