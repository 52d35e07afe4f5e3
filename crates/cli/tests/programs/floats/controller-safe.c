/* A controller that limits its integral and its output. */
extern void __VERIFIER_error(void);
extern float __VERIFIER_nondet_float(void);
float integral = 0.0f;
float step(float e) { integral = integral + e * 0.01f; if (integral > 10.0f) integral = 10.0f; if (integral < -10.0f) integral = -10.0f; 
  float u = 2.0f * e + 0.5f * integral; if (u > 24.0f) u = 24.0f; else if (!(u >= -24.0f)) u = -24.0f; return u; }
int main(void) { while (1) { float e = __VERIFIER_nondet_float(); if (!(e >= -100.0f && e <= 100.0f)) continue; float u = step(e); if (!(u <= 24.0f && u >= -24.0f)) __VERIFIER_error(); if (!(integral <= 10.0f)) __VERIFIER_error(); } }
