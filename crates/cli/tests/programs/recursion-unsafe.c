extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* An error at the bottom of a recursion. */
int down(int n) { if (n == 0) reach_error(); return down(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n > 2 && n < 9) down(n); return 0; }
