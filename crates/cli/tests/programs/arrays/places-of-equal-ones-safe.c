// The n-th place that is found is not before n.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a[50000], found[50000];
  int n = 0;
  for (int i = 0; i < 50000; i++)
    a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < 50000; i++)
    if (a[i] == 3) found[n++] = i;
  for (int k = 0; k < n; k++)
    if (found[k] < k) reach_error();
  return 0;
}
