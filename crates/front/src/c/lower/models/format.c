unsigned long __bolide_model___put(char *d, unsigned long limit, unsigned long at, char c) {
  if (at < limit) d[at] = c;
  return at + 1;
}
unsigned long __bolide_model___put_string(char *d, unsigned long limit, unsigned long at, const char *s, int flags, int width, int precision) {
  unsigned long n = 0, i = 0, fill = 0, w = width < 0 ? 0ul - (unsigned long)width : (unsigned long)width;
  while ((precision < 0 || n < (unsigned long)precision) && s[n]) n++;
  if (w > n) fill = w - n;
  if (!(flags & 1) && width >= 0) { for (i = 0; i < fill; i++) { if (at < limit) d[at] = ' '; at++; } fill = 0; }
  for (i = 0; i < n; i++) { if (at < limit) d[at] = s[i]; at++; }
  for (i = 0; i < fill; i++) { if (at < limit) d[at] = ' '; at++; }
  return at;
}
unsigned long __bolide_model___put_char(char *d, unsigned long limit, unsigned long at, int c, int flags, int width) {
  unsigned long i = 0, fill = 0, w = width < 0 ? 0ul - (unsigned long)width : (unsigned long)width;
  if (w > 1) fill = w - 1;
  if (!(flags & 1) && width >= 0) { for (i = 0; i < fill; i++) { if (at < limit) d[at] = ' '; at++; } fill = 0; }
  if (at < limit) d[at] = (char)c;
  at++;
  for (i = 0; i < fill; i++) { if (at < limit) d[at] = ' '; at++; }
  return at;
}
unsigned long __bolide_model___put_number(char *d, unsigned long limit, unsigned long at, unsigned long long v, int negative, int base, int flags, int width, int precision) {
  char digits[24];
  int n = 0, prefix = 0, left = flags & 1;
  char sign = negative ? '-' : flags & 2 ? '+' : flags & 4 ? ' ' : 0;
  unsigned long i = 0, zeros = 0, fill = 0, length = 0, w = width < 0 ? 0ul - (unsigned long)width : (unsigned long)width;
  if (width < 0) left = 1;
  if ((flags & 8) && base == 16 && v != 0) prefix = 2;
  if (v != 0 || precision != 0)
    do {
      int digit = (int)(v % (unsigned)base);
      digits[n] = (char)(digit < 10 ? '0' + digit : (flags & 32 ? 'A' : 'a') + (digit - 10));
      n++;
      v /= (unsigned)base;
    } while (v);
  if (precision > n) zeros = (unsigned long)(precision - n);
  if ((flags & 8) && base == 8 && zeros == 0 && (n == 0 || digits[n - 1] != '0')) zeros = 1;
  length = (unsigned long)n + zeros + (unsigned long)prefix + (sign ? 1 : 0);
  if (w > length) fill = w - length;
  if ((flags & 16) && precision < 0 && !left) { zeros += fill; fill = 0; }
  if (!left) for (; fill; fill--) { if (at < limit) d[at] = ' '; at++; }
  if (sign) { if (at < limit) d[at] = sign; at++; }
  if (prefix) {
    if (at < limit) d[at] = '0';
    at++;
    if (at < limit) d[at] = flags & 32 ? 'X' : 'x';
    at++;
  }
  for (i = 0; i < zeros; i++) { if (at < limit) d[at] = '0'; at++; }
  while (n > 0) { n--; if (at < limit) d[at] = digits[n]; at++; }
  for (; fill; fill--) { if (at < limit) d[at] = ' '; at++; }
  return at;
}
unsigned long __bolide_model___put_signed(char *d, unsigned long limit, unsigned long at, long long v, int flags, int width, int precision) {
  return __bolide_model___put_number(d, limit, at, v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, v < 0, 10, flags, width, precision);
}
int __bolide_model___put_stores(const char *f) {
  for (; *f; f++) {
    if (*f != '%') continue;
    f++;
    while (*f == '-' || *f == '+' || *f == ' ' || *f == '#' || (*f >= '0' && *f <= '9') || *f == '*' || *f == '.' || *f == '$'
           || *f == 'h' || *f == 'l' || *f == 'L' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 'Z' || *f == 't' || *f == 'I' || *f == 39 || *f == '_' || *f == 'w') f++;
    if (*f == 'n') return 1;
    if (!*f) return 0;
  }
  return 0;
}
int __bolide_model___put_anything(void) {
  double beyond = 1e300;
  return (int)beyond;
}
unsigned long __bolide_model___put_unknown(char *d, unsigned long limit, unsigned long at) {
  int n = __bolide_model___put_anything();
  for (; n > 0; n--) {
    char c = (char)__bolide_model___put_anything();
    if (at < limit) d[at] = c ? c : ' ';
    at++;
  }
  return at;
}
unsigned long __bolide_model___put_list(char *d, unsigned long limit, const char *f, __builtin_va_list list) {
  unsigned long at = 0;
  for (; *f; f++) {
    int flags = 0, width = 0, precision = -1, size = 0;
    if (*f != '%') { if (at < limit) d[at] = *f; at++; continue; }
    f++;
    for (;; f++) {
      if (*f == '-') flags |= 1;
      else if (*f == '+') flags |= 2;
      else if (*f == ' ') flags |= 4;
      else if (*f == '#') flags |= 8;
      else if (*f == '0') flags |= 16;
      else break;
    }
    if (*f == '*') { width = __builtin_va_arg(list, int); f++; }
    else while (*f >= '0' && *f <= '9') { width = 10 * width + (*f - '0'); f++; }
    if (*f == '.') {
      precision = 0;
      f++;
      if (*f == '*') { precision = __builtin_va_arg(list, int); f++; }
      else while (*f >= '0' && *f <= '9') { precision = 10 * precision + (*f - '0'); f++; }
    }
    for (;; f++) {
      if (*f == 'h') size--;
      else if (*f == 'l') size++;
      else if (*f == 'z' || *f == 't') size = 1;
      else if (*f == 'j' || *f == 'q' || *f == 'L') size = 2;
      else break;
    }
    if (*f == 'd' || *f == 'i') {
      long long v = 0;
      if (size > 1) v = __builtin_va_arg(list, long long);
      else if (size == 1) v = __builtin_va_arg(list, long);
      else v = __builtin_va_arg(list, int);
      if (size == -1) v = (short)v;
      if (size == -2) v = (signed char)v;
      at = __bolide_model___put_signed(d, limit, at, v, flags, width, precision);
    } else if (*f == 'u' || *f == 'x' || *f == 'X' || *f == 'o') {
      unsigned long long v = 0;
      if (size > 1) v = __builtin_va_arg(list, unsigned long long);
      else if (size == 1) v = __builtin_va_arg(list, unsigned long);
      else v = __builtin_va_arg(list, unsigned);
      if (size == -1) v = (unsigned short)v;
      if (size == -2) v = (unsigned char)v;
      if (*f == 'X') flags |= 32;
      flags &= ~6;
      at = __bolide_model___put_number(d, limit, at, v, 0, *f == 'u' ? 10 : *f == 'o' ? 8 : 16, *f == 'u' ? flags & ~8 : flags, width, precision);
    } else if (*f == 'c' && size == 0) {
      at = __bolide_model___put_char(d, limit, at, __builtin_va_arg(list, int), flags, width);
    } else if (*f == 's' && size == 0) {
      at = __bolide_model___put_string(d, limit, at, __builtin_va_arg(list, const char *), flags, width, precision);
    } else if (*f == '%') {
      if (at < limit) d[at] = '%';
      at++;
    } else if (*f == 'n') {
      if (size == 0) *__builtin_va_arg(list, int *) = (int)at;
      else if (size == 1) *__builtin_va_arg(list, long *) = (long)at;
      else if (size > 1) *__builtin_va_arg(list, long long *) = (long long)at;
      else if (size == -1) *__builtin_va_arg(list, short *) = (short)at;
      else *__builtin_va_arg(list, signed char *) = (signed char)at;
    } else if (*f == 'f' || *f == 'F' || *f == 'e' || *f == 'E' || *f == 'g' || *f == 'G' || *f == 'a' || *f == 'A') {
      if (__builtin_va_arg(list, double) == 0) at = __bolide_model___put_unknown(d, limit, at);
      else at = __bolide_model___put_unknown(d, limit, at);
    } else if (*f == 'p' || *f == 's') {
      if (__builtin_va_arg(list, void *)) at = __bolide_model___put_unknown(d, limit, at);
      else at = __bolide_model___put_unknown(d, limit, at);
    } else if (*f == 'c') {
      if (__builtin_va_arg(list, int)) at = __bolide_model___put_unknown(d, limit, at);
      else at = __bolide_model___put_unknown(d, limit, at);
    } else {
      at = __bolide_model___put_unknown(d, limit, at);
      if (!*f) return at;
    }
  }
  return at;
}
unsigned long __bolide_model___put_end(char *d, unsigned long size, unsigned long limit, unsigned long at) {
  if (size) d[at < limit ? at : limit] = 0;
  return at;
}
int __bolide_model_vsnprintf(char *d, unsigned long size, const char *f, __builtin_va_list list) {
  unsigned long limit = size ? size - 1 : 0, at = __bolide_model___put_list(d, limit, f, list);
  return (int)__bolide_model___put_end(d, size, limit, at);
}
int __bolide_model_vsprintf(char *d, const char *f, __builtin_va_list list) {
  unsigned long at = __bolide_model___put_list(d, (unsigned long)-1 >> 1, f, list);
  return (int)__bolide_model___put_end(d, 1, (unsigned long)-1 >> 1, at);
}
int __bolide_model_snprintf(char *d, unsigned long size, const char *f, ...) {
  __builtin_va_list list;
  unsigned long limit = size ? size - 1 : 0, at = 0;
  __builtin_va_start(list, f);
  at = __bolide_model___put_list(d, limit, f, list);
  __builtin_va_end(list);
  return (int)__bolide_model___put_end(d, size, limit, at);
}
int __bolide_model_sprintf(char *d, const char *f, ...) {
  __builtin_va_list list;
  unsigned long at = 0;
  __builtin_va_start(list, f);
  at = __bolide_model___put_list(d, (unsigned long)-1 >> 1, f, list);
  __builtin_va_end(list);
  return (int)__bolide_model___put_end(d, 1, (unsigned long)-1 >> 1, at);
}
int __bolide_model_asprintf(char **to, const char *f, ...) {
  __builtin_va_list list, again;
  unsigned long n = 0;
  char *d = 0;
  __builtin_va_start(list, f);
  n = __bolide_model___put_list((char *)0, 0, f, list);
  __builtin_va_end(list);
  d = __builtin_malloc(n + 1);
  if (!d) return -1;
  __builtin_va_start(again, f);
  __bolide_model___put_list(d, n, f, again);
  __builtin_va_end(again);
  d[n] = 0;
  *to = d;
  return (int)n;
}
