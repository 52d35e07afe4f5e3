extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* The counter meets its bound because both are even. */
int main(void) {
  int i = 0;
  while (i < 1000000) i += 2;
  if (i != 1000000) reach_error();
  return 0;
}
