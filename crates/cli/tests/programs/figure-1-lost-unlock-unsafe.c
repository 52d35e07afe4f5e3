extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* As Figure 1, but an unlock is missing. */
int L;
void lock(void) { if (L != 0) reach_error(); L = 1; }
int main(void) {
  int old, new = __VERIFIER_nondet_int();
  do {
    lock();
    old = new;
    if (__VERIFIER_nondet_int()) { new++; }
  } while (new != old);
  return 0;
}
