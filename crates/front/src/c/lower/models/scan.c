const char *__bolide_model___scan_skip(const char *s) {
  while (*s == ' ' || (*s >= 9 && *s <= 13)) s++;
  return s;
}
const char *__bolide_model___scan_char(const char *s, int c) { return *s == (char)c ? s + 1 : (const char *)0; }
int __bolide_model___scan_fails(const char *s, int skips, int count) {
  if (skips) s = __bolide_model___scan_skip(s);
  return *s || count ? count : -1;
}
int __bolide_model___scan_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}
const char *__bolide_model___scan_number(const char *s, int base, int width) {
  int any = 0;
  s = __bolide_model___scan_skip(s);
  if (*s == '-' || *s == '+') { s++; width--; }
  if (width > 0 && *s == '0') {
    any = 1;
    s++;
    width--;
    if (width > 0 && (*s == 'x' || *s == 'X') && (base == 0 || base == 16)) { base = 16; s++; width--; }
    else if (base == 0) base = 8;
  }
  if (base == 0) base = 10;
  while (width > 0 && __bolide_model___scan_digit(*s) < base) { any = 1; s++; width--; }
  return any ? s : (const char *)0;
}
unsigned long long __bolide_model___scan_value(const char *s, const char *end, int base, unsigned long long most, int is_signed) {
  int negative = 0, beyond = 0;
  unsigned long long v = 0;
  s = __bolide_model___scan_skip(s);
  if (*s == '-' || *s == '+') { negative = *s == '-'; s++; }
  if (s != end && *s == '0') {
    s++;
    if (s != end && (*s == 'x' || *s == 'X')) { base = 16; s++; }
    else if (base == 0) base = 8;
  }
  if (base == 0) base = 10;
  if (negative && is_signed) most++;
  for (; s != end; s++) {
    unsigned digit = (unsigned)__bolide_model___scan_digit(*s);
    if (beyond || v > (most - digit) / (unsigned)base) beyond = 1; else v = v * (unsigned)base + digit;
  }
  if (beyond) return negative && is_signed ? -most : most;
  return negative ? -v : v;
}
const char *__bolide_model___scan_string(const char *s, char *to, int width) {
  s = __bolide_model___scan_skip(s);
  if (!*s) return (const char *)0;
  for (; width > 0 && *s && *s != ' ' && !(*s >= 9 && *s <= 13); width--) {
    if (to) { *to = *s; to++; }
    s++;
  }
  if (to) *to = 0;
  return s;
}
const char *__bolide_model___scan_chars(const char *s, char *to, int n) {
  if (!*s) return (const char *)0;
  for (; n > 0 && *s; n--) {
    if (to) { *to = *s; to++; }
    s++;
  }
  return s;
}
int __bolide_model___scan_is_in(char c, unsigned long long a, unsigned long long b, unsigned long long d, unsigned long long e) {
  unsigned char u = (unsigned char)c;
  unsigned long long part = u < 64 ? a : u < 128 ? b : u < 192 ? d : e;
  return (int)(part >> (u & 63) & 1);
}
const char *__bolide_model___scan_set(const char *s, char *to, int width, unsigned long long a, unsigned long long b, unsigned long long d, unsigned long long e) {
  int any = 0;
  for (; width > 0 && *s && __bolide_model___scan_is_in(*s, a, b, d, e); width--) {
    if (to) { *to = *s; to++; }
    s++;
    any = 1;
  }
  if (!any) return (const char *)0;
  if (to) *to = 0;
  return s;
}
int __bolide_model___scan_is_odd(char c) {
  return c == 'e' || c == 'E' || c == 'p' || c == 'P' || c == 'x' || c == 'X' || c == 'i' || c == 'I' || c == 'n' || c == 'N' || c == '(';
}
const char *__bolide_model___scan_real(const char *s, double *to) {
  char *end = 0;
  s = __bolide_model___scan_skip(s);
  *to = __bolide_model_strtod(s, &end);
  if (__bolide_model___scan_is_odd(*end)) {
    *to = __bolide_from___decimal();
    if (__bolide_from_truth()) return (const char *)0;
  }
  return end == s ? (const char *)0 : end;
}
const char *__bolide_model___scan_realf(const char *s, float *to) {
  char *end = 0;
  s = __bolide_model___scan_skip(s);
  *to = __bolide_model_strtof(s, &end);
  if (__bolide_model___scan_is_odd(*end)) {
    *to = __bolide_from___decimalf();
    if (__bolide_from_truth()) return (const char *)0;
  }
  return end == s ? (const char *)0 : end;
}
long __bolide_model___input_text(char *to, long limit, long ends, long skips, unsigned long long a, unsigned long long b, unsigned long long d, unsigned long long e) {
  long i = 0, count = __bolide_from_read_count();
  if (count < 1 || count > limit) __builtin_unreachable();
  for (i = 0; i < count; i++) {
    char c = __bolide_from_read();
    unsigned char u = (unsigned char)c;
    unsigned long long part = u < 64 ? a : u < 128 ? b : u < 192 ? d : e;
    if (!(part >> (u & 63) & 1)) __builtin_unreachable();
    if (skips && i == 0 && (c == ' ' || (c >= 9 && c <= 13))) __builtin_unreachable();
    to[i] = c;
  }
  if (ends) to[count] = 0;
  return count;
}
