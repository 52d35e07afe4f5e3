extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

/* What a block grows by has any contents. */
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int *p = malloc(2 * sizeof(int));
  p[0] = n;
  p[1] = n;
  p = realloc(p, 4 * sizeof(int));
  if (p[1] == 12345) reach_error();
  return 0;
}
