int __bolide_model_ffs(int v) { return __builtin_ffs(v); }
int __bolide_model_ffsl(long v) { return __builtin_ffsl(v); }
int __bolide_model_ffsll(long long v) { return __builtin_ffsll(v); }
long long __bolide_model_atoll(const char *s) { return __bolide_model_strtoll(s, (char **)0, 10); }
long long __bolide_model_imaxabs(long long v) { return v < 0 ? -v : v; }
long long __bolide_model_strtoimax(const char *s, char **end, int base) { return __bolide_model_strtoll(s, end, base); }
unsigned long long __bolide_model_strtoumax(const char *s, char **end, int base) { return __bolide_model_strtoull(s, end, base); }
char *__bolide_from_message(void);
char *__bolide_model_strerror(int number) {
  char *message = __bolide_from_message();
  if (!message) __builtin_unreachable();
  return message;
}
char *__bolide_model_strsignal(int number) {
  char *message = __bolide_from_message();
  if (!message) __builtin_unreachable();
  return message;
}
int __bolide_model_strcoll(const char *a, const char *b) { return __bolide_model_strcmp(a, b); }
double __bolide_model_difftime(long a, long b) { return (double)(a - b); }
int __bolide_model___is_word(const char *s, const char *word, int n) {
  int i = 0;
  for (i = 0; i < n; i++) if (s[i] != word[i] && s[i] != word[i] - 32) return 0;
  return 1;
}
int __bolide_model___digit(char c, int is_hex) {
  if (c >= '0' && c <= '9') return c - '0';
  if (is_hex && c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (is_hex && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
double __bolide_from___decimal(void);
double __bolide_model___nan_with(int is_plain) {
  double r;
  if (is_plain) return __builtin_nan("");
  r = __bolide_from___decimal();
  if (r == r) __builtin_unreachable();
  return r;
}
double __bolide_model_strtod(const char *s, char **end) {
  const char *from = s;
  int negative = 0, is_hex = 0, any = 0, digits = 0, scale = 0, is_exact = 1, is_fraction = 0;
  unsigned long long v = 0;
  double r = 0, power = 1;
  while (*s == ' ' || (*s >= 9 && *s <= 13)) s++;
  if (*s == '-' || *s == '+') { negative = *s == '-'; s++; }
  if (__bolide_model___is_word(s, "inf", 3)) {
    s += __bolide_model___is_word(s, "infinity", 8) ? 8 : 3;
    if (end) *end = (char *)s;
    return negative ? -__builtin_inf() : __builtin_inf();
  }
  if (__bolide_model___is_word(s, "nan", 3)) {
    s += 3;
    if (*s == '(') {
      const char *inside = s + 1;
      while (__bolide_model___digit(*inside, 0) >= 0 || *inside == '_' || (*inside >= 'a' && *inside <= 'z') || (*inside >= 'A' && *inside <= 'Z')) inside++;
      if (*inside == ')') {
        is_exact = inside == s + 1;
        s = inside + 1;
      }
    }
    if (end) *end = (char *)s;
    r = __bolide_model___nan_with(is_exact);
    return negative ? -r : r;
  }
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
      && (__bolide_model___digit(s[2], 1) >= 0 || (s[2] == '.' && __bolide_model___digit(s[3], 1) >= 0))) { is_hex = 1; s += 2; }
  for (;; s++) {
    int digit = __bolide_model___digit(*s, is_hex);
    if (*s == '.' && !is_fraction) { is_fraction = 1; continue; }
    if (digit < 0) break;
    any = 1;
    if (digits < (is_hex ? 13 : 18)) {
      v = v * (is_hex ? 16 : 10) + (unsigned)digit;
      if (v) digits++;
      if (is_fraction) scale -= is_hex ? 4 : 1;
    } else {
      if (digit) is_exact = 0;
      if (!is_fraction) scale += is_hex ? 4 : 1;
    }
  }
  if (!any) { if (end) *end = (char *)from; return 0; }
  if (is_hex ? *s == 'p' || *s == 'P' : *s == 'e' || *s == 'E') {
    const char *t = s + 1;
    int down = 0, exponent = 0;
    if (*t == '-' || *t == '+') { down = *t == '-'; t++; }
    if (*t >= '0' && *t <= '9') {
      for (; *t >= '0' && *t <= '9'; t++) if (exponent < 10000) exponent = 10 * exponent + (*t - '0');
      scale += down ? -exponent : exponent;
      s = t;
    }
  }
  if (end) *end = (char *)s;
  if (v == 0) return negative ? -0.0 : 0.0;
  while (!is_hex && v % 10 == 0) { v /= 10; scale++; }
  if (!is_exact || v > 9007199254740992ull || scale < (is_hex ? -900 : -22) || scale > (is_hex ? 900 : 22)) return __bolide_from___decimal();
  r = (double)v;
  if (is_hex) {
    for (; scale > 0; scale--) r *= 2;
    for (; scale < 0; scale++) r /= 2;
  } else {
    for (any = scale < 0 ? -scale : scale; any > 0; any--) power *= 10;
    r = scale < 0 ? r / power : r * power;
  }
  return negative ? -r : r;
}
double __bolide_model_atof(const char *s) { return __bolide_model_strtod(s, (char **)0); }
float __bolide_from___decimalf(void);
float __bolide_model_strtof(const char *s, char **end) {
  double r = __bolide_model_strtod(s, end), tie = 0;
  float f = (float)r;
  if (r != r || (double)f == r) return f;
  tie = r + (r - (double)f);
  if ((double)(float)tie == tie || (r < 1e-37 && r > -1e-37)) return __bolide_from___decimalf();
  return f;
}
double __bolide_model_nan(const char *tag) { return __bolide_model___nan_with(!*tag); }
float __bolide_model_nanf(const char *tag) { return (float)__bolide_model___nan_with(!*tag); }
double __bolide_model_modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  if (x != x) return x;
  return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
float __bolide_model_modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  if (x != x) return x;
  return __builtin_copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
double __bolide_model_frexp(double x, int *exponent) {
  double m = __builtin_fabs(x);
  int n = 0;
  *exponent = 0;
  if (!(m > 0.0) || __builtin_isinf(m)) return x;
  if (m < 0x1p-1021) { m *= 0x1p54; n = -54; }
  if (m < 0x1p-511) { m *= 0x1p512; n -= 512; }
  if (m < 0x1p-255) { m *= 0x1p256; n -= 256; }
  if (m < 0x1p-127) { m *= 0x1p128; n -= 128; }
  if (m < 0x1p-63) { m *= 0x1p64; n -= 64; }
  if (m < 0x1p-31) { m *= 0x1p32; n -= 32; }
  if (m < 0x1p-15) { m *= 0x1p16; n -= 16; }
  if (m < 0x1p-7) { m *= 0x1p8; n -= 8; }
  if (m < 0x1p-3) { m *= 0x1p4; n -= 4; }
  if (m < 0x1p-1) { m *= 0x1p2; n -= 2; }
  if (m < 0x1p0) { m *= 0x1p1; n -= 1; }
  if (m >= 0x1p512) { m *= 0x1p-512; n += 512; }
  if (m >= 0x1p256) { m *= 0x1p-256; n += 256; }
  if (m >= 0x1p128) { m *= 0x1p-128; n += 128; }
  if (m >= 0x1p64) { m *= 0x1p-64; n += 64; }
  if (m >= 0x1p32) { m *= 0x1p-32; n += 32; }
  if (m >= 0x1p16) { m *= 0x1p-16; n += 16; }
  if (m >= 0x1p8) { m *= 0x1p-8; n += 8; }
  if (m >= 0x1p4) { m *= 0x1p-4; n += 4; }
  if (m >= 0x1p2) { m *= 0x1p-2; n += 2; }
  if (m >= 0x1p1) { m *= 0x1p-1; n += 1; }
  *exponent = n + 1;
  return x < 0.0 ? m * -0.5 : m * 0.5;
}
float __bolide_model_frexpf(float x, int *exponent) { return (float)__bolide_model_frexp((double)x, exponent); }
double __bolide_model___power_of_two(int n) {
  double p = 1;
  int m = n < 0 ? -n : n;
  if (m & 512) p *= 0x1p512;
  if (m & 256) p *= 0x1p256;
  if (m & 128) p *= 0x1p128;
  if (m & 64) p *= 0x1p64;
  if (m & 32) p *= 0x1p32;
  if (m & 16) p *= 0x1p16;
  if (m & 8) p *= 0x1p8;
  if (m & 4) p *= 0x1p4;
  if (m & 2) p *= 0x1p2;
  if (m & 1) p *= 0x1p1;
  return n < 0 ? 1 / p : p;
}
double __bolide_model_scalbln(double x, long n) {
  if (n > 1023) {
    x *= 0x1p1023;
    n -= 1023;
    if (n > 1023) {
      x *= 0x1p1023;
      n -= 1023;
      if (n > 1023) n = 1023;
    }
  } else if (n < -1022) {
    x *= 0x1p-969;
    n += 969;
    if (n < -1022) {
      x *= 0x1p-969;
      n += 969;
      if (n < -1022) n = -1022;
    }
  }
  return x * __bolide_model___power_of_two((int)n);
}
double __bolide_model_scalbn(double x, int n) { return __bolide_model_scalbln(x, n); }
double __bolide_model_ldexp(double x, int n) { return __bolide_model_scalbln(x, n); }
float __bolide_model_scalblnf(float x, long n) { return (float)__bolide_model_scalbln((double)x, n); }
float __bolide_model_scalbnf(float x, int n) { return (float)__bolide_model_scalbln((double)x, n); }
float __bolide_model_ldexpf(float x, int n) { return (float)__bolide_model_scalbln((double)x, n); }
int __bolide_model_ilogb(double x) {
  int exponent = 0;
  if (x != x || x == 0.0) return -2147483647 - 1;
  if (__builtin_isinf(x)) return 2147483647;
  __bolide_model_frexp(x, &exponent);
  return exponent - 1;
}
int __bolide_model_ilogbf(float x) { return __bolide_model_ilogb((double)x); }
double __bolide_model_logb(double x) {
  if (x != x) return x;
  if (x == 0.0) return -__builtin_inf();
  return __builtin_isinf(x) ? __builtin_inf() : (double)__bolide_model_ilogb(x);
}
float __bolide_model_logbf(float x) { return (float)__bolide_model_logb((double)x); }
