/* Small integers are exact, and rounding does not get past a constant. */
extern void __VERIFIER_error(void);
int main(void) { double x = 0.0; while (x < 100.0) { x = x + 1.0; } if (!(x <= 101.0)) __VERIFIER_error(); return 0; }
