// An array that is filled, copied, and changed from its end.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a[70000], b[70000];
  int more = __VERIFIER_nondet_int();
  if (more < -100 || more > 100) return 0;
  for (int i = 0; i < 70000; i++)
    a[i] = 17;
  for (int i = 0; i < 70000; i++)
    b[i] = a[i];
  for (int i = 69999; i >= 0; i--)
    b[i] = b[i] + more;
  for (int i = 0; i < 70000; i++)
    if (b[i] != (17 + more)) reach_error();
  return 0;
}
