extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Figure 1 of McMillan, Lazy Abstraction with Interpolants: the lock is free whenever it is taken. */
int L;
void lock(void) { if (L != 0) reach_error(); L = 1; }
void unlock(void) { L = 0; }
int main(void) {
  int old, new = __VERIFIER_nondet_int();
  do {
    lock();
    old = new;
    if (__VERIFIER_nondet_int()) { unlock(); new++; }
  } while (new != old);
  return 0;
}
