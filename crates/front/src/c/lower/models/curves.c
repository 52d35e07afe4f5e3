double __bolide_from_sin(void);
double __bolide_model_sin(double x) {
  double r = 0;
  if (x != x) return x;
  if (x - x != 0) return x - x;
  if (x == 0) return x;
  r = __bolide_from_sin();
  if (!(r >= -1 && r <= 1)) __builtin_unreachable();
  return r;
}
float __bolide_from_sinf(void);
float __bolide_model_sinf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x - x != 0) return x - x;
  if (x == 0) return x;
  r = __bolide_from_sinf();
  if (!(r >= -1 && r <= 1)) __builtin_unreachable();
  return r;
}
double __bolide_from_cos(void);
double __bolide_model_cos(double x) {
  double r = 0;
  if (x != x) return x;
  if (x - x != 0) return x - x;
  if (x == 0) return 1;
  r = __bolide_from_cos();
  if (!(r >= -1 && r <= 1)) __builtin_unreachable();
  return r;
}
float __bolide_from_cosf(void);
float __bolide_model_cosf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x - x != 0) return x - x;
  if (x == 0) return 1;
  r = __bolide_from_cosf();
  if (!(r >= -1 && r <= 1)) __builtin_unreachable();
  return r;
}
double __bolide_from_tanh(void);
double __bolide_model_tanh(double x) {
  double r = 0;
  if (x != x) return x;
  if (x == 0) return x;
  r = __bolide_from_tanh();
  if (!(r >= -1 && r <= 1 && (x > 0 ? r >= 0 : r <= 0))) __builtin_unreachable();
  return r;
}
float __bolide_from_tanhf(void);
float __bolide_model_tanhf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x == 0) return x;
  r = __bolide_from_tanhf();
  if (!(r >= -1 && r <= 1 && (x > 0 ? r >= 0 : r <= 0))) __builtin_unreachable();
  return r;
}
double __bolide_from_atan(void);
double __bolide_model_atan(double x) {
  double r = 0;
  if (x != x) return x;
  if (x == 0) return x;
  r = __bolide_from_atan();
  if (!(r >= -1.5707964 && r <= 1.5707964 && (x > 0 ? r >= 0 : r <= 0))) __builtin_unreachable();
  return r;
}
float __bolide_from_atanf(void);
float __bolide_model_atanf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x == 0) return x;
  r = __bolide_from_atanf();
  if (!(r >= -1.5707964 && r <= 1.5707964 && (x > 0 ? r >= 0 : r <= 0))) __builtin_unreachable();
  return r;
}
double __bolide_from_exp(void);
double __bolide_model_exp(double x) {
  double r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x > 0 ? x : 0;
  r = __bolide_from_exp();
  if (!(r >= 0 && (x > 0 ? r >= 1 : r <= 1))) __builtin_unreachable();
  return r;
}
float __bolide_from_expf(void);
float __bolide_model_expf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x > 0 ? x : 0;
  r = __bolide_from_expf();
  if (!(r >= 0 && (x > 0 ? r >= 1 : r <= 1))) __builtin_unreachable();
  return r;
}
double __bolide_from_exp2(void);
double __bolide_model_exp2(double x) {
  double r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x > 0 ? x : 0;
  r = __bolide_from_exp2();
  if (!(r >= 0 && (x > 0 ? r >= 1 : r <= 1))) __builtin_unreachable();
  return r;
}
float __bolide_from_exp2f(void);
float __bolide_model_exp2f(float x) {
  float r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x > 0 ? x : 0;
  r = __bolide_from_exp2f();
  if (!(r >= 0 && (x > 0 ? r >= 1 : r <= 1))) __builtin_unreachable();
  return r;
}
double __bolide_from_cosh(void);
double __bolide_model_cosh(double x) {
  double r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x * x;
  r = __bolide_from_cosh();
  if (!(r >= 1)) __builtin_unreachable();
  return r;
}
float __bolide_from_coshf(void);
float __bolide_model_coshf(float x) {
  float r = 0;
  if (x != x) return x;
  if (x == 0) return 1;
  if (x - x != 0) return x * x;
  r = __bolide_from_coshf();
  if (!(r >= 1)) __builtin_unreachable();
  return r;
}
