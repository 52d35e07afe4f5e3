extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Three loops that hand a sum on. */
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), k = 0;
  if (n < 0 || n > 1000 || m < 0 || m > 1000) return 0;
  for (int i = 0; i < n; i++) k++;
  for (int i = 0; i < m; i++) k++;
  for (int i = 0; i < n + m; i++) { if (k <= 0) reach_error(); k--; }
  return 0;
}
