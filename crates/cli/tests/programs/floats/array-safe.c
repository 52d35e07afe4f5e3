/* Elements of an array keep their bounds. */
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);
float a[10]; int main(void) { int i; float m = 0.0f; for (i = 0; i < 10; i++) { float x = __VERIFIER_nondet_float(); if (x >= 0.0f && x <= 5.0f) a[i] = x; } for (i = 0; i < 10; i++) if (a[i] > m) m = a[i]; if (m > 5.0f) __VERIFIER_error(); return 0; }
