extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

/* The largest of some numbers. */
static int largest(int *a, int n) {
  int best = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > best) {
      best = a[i];
    }
  }
  return best;
}

int main(void) {
  int a[3];
  int unused = __VERIFIER_nondet_int();
  for (int i = 0; i < 3; i++) {
    a[i] = __VERIFIER_nondet_int();
  }
  int best = largest(a, 3);
  for (int i = 0; i < 3; i++) {
    if (a[i] > best) reach_error();
  }
  if (best < a[0] + 1 && best == 0 && a[0] < -5) reach_error();
  /* Wrong if all numbers are negative. */
  int found = 0;
  for (int i = 0; i < 3; i++) {
    if (a[i] == best) found = 1;
  }
  if (!found) reach_error();
  return unused;
}
