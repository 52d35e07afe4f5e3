extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Recursion that ends after a few calls. */
int sum(int n, int m) { if (n <= 0) return m; return sum(n - 1, m + 1); }
int main(void) { if (sum(5, 2) != 7) reach_error(); return 0; }
