/* From integers and back. */
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int main(void) { int i = __VERIFIER_nondet_int(); __VERIFIER_assume(i >= 0 && i <= 1000); float f = i; int j = (int)(f * 0.5f); if (!(j >= 0 && j <= 500)) __VERIFIER_error(); return 0; }
