extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Unsigned arithmetic wraps. */
int main(void) {
  unsigned x = (unsigned)__VERIFIER_nondet_int();
  if (x + 1 < x) reach_error();
  return 0;
}
