char *__bolide_model_strtok_r(char *s, const char *set, char **save) {
  char *end = 0;
  const char *t = 0;
  if (!s) s = *save;
  for (; *s; s++) {
    for (t = set; *t && *t != *s; t++) ;
    if (!*t) break;
  }
  if (!*s) { *save = s; return (char *)0; }
  for (end = s; *end; end++) {
    for (t = set; *t && *t != *end; t++) ;
    if (*t) break;
  }
  if (*end) { *end = 0; end++; }
  *save = end;
  return s;
}
char *__bolide_model_strtok(char *s, const char *set) {
  static char *rest;
  return __bolide_model_strtok_r(s, set, &rest);
}
char *__bolide_model_strsep(char **at, const char *set) {
  char *from = *at, *end = from;
  const char *t = 0;
  if (!from) return (char *)0;
  for (; *end; end++) {
    for (t = set; *t && *t != *end; t++) ;
    if (*t) break;
  }
  if (*end) { *end = 0; *at = end + 1; } else *at = (char *)0;
  return from;
}
unsigned long __bolide_model_strlcpy(char *d, const char *s, unsigned long size) {
  unsigned long n = 0;
  for (; s[n]; n++) if (n + 1 < size) d[n] = s[n];
  if (size) d[n < size ? n : size - 1] = 0;
  return n;
}
unsigned long __bolide_model_strlcat(char *d, const char *s, unsigned long size) {
  unsigned long at = 0, n = 0;
  while (at < size && d[at]) at++;
  for (; s[n]; n++) if (at + n + 1 < size) d[at + n] = s[n];
  if (at < size) d[at + n < size ? at + n : size - 1] = 0;
  return at + n;
}
char *__bolide_model_strndup(const char *s, unsigned long most) {
  unsigned long n = 0, i = 0;
  while (n < most && s[n]) n++;
  char *d = __builtin_malloc(n + 1);
  if (!d) return d;
  for (i = 0; i < n; i++) d[i] = s[i];
  d[n] = 0;
  return d;
}
char *__bolide_model_stpncpy(char *d, const char *s, unsigned long n) {
  unsigned long i = 0, end = 0;
  while (i < n && s[i]) { d[i] = s[i]; i++; }
  end = i;
  while (i < n) { d[i] = 0; i++; }
  return d + end;
}
void *__bolide_model_memccpy(void *to, const void *from, int c, unsigned long n) {
  unsigned char *d = to;
  const unsigned char *s = from;
  unsigned long i = 0;
  for (i = 0; i < n; i++) {
    d[i] = s[i];
    if (s[i] == (unsigned char)c) return d + i + 1;
  }
  return (void *)0;
}
void *__bolide_model_memmem(const void *in, unsigned long n, const void *what, unsigned long m) {
  const unsigned char *s = in, *t = what;
  unsigned long i = 0, k = 0;
  if (m > n) return (void *)0;
  for (i = 0; i <= n - m; i++) {
    for (k = 0; k < m && s[i + k] == t[k]; k++) ;
    if (k == m) return (void *)(s + i);
  }
  return (void *)0;
}
void *__bolide_model_memrchr(const void *p, int c, unsigned long n) {
  const unsigned char *s = p;
  while (n) { n--; if (s[n] == (unsigned char)c) return (void *)(s + n); }
  return (void *)0;
}
void *__bolide_model_rawmemchr(const void *p, int c) {
  const unsigned char *s = p;
  while (*s != (unsigned char)c) s++;
  return (void *)s;
}
char *__bolide_model_strchrnul(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return (char *)s;
}
char *__bolide_model_index(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return *s == (char)c ? (char *)s : (char *)0;
}
char *__bolide_model_rindex(const char *s, int c) {
  const char *found = 0;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}
void __bolide_model_bcopy(const void *from, void *to, unsigned long n) { __builtin_memmove(to, from, n); }
int __bolide_model_bcmp(const void *a, const void *b, unsigned long n) {
  const unsigned char *x = a, *y = b;
  while (n && *x == *y) { x++; y++; n--; }
  return n ? __bolide_model___truth_of(1) : 0;
}
char *__bolide_model_strcasestr(const char *s, const char *t) {
  for (;; s++) {
    unsigned long i = 0;
    for (; t[i]; i++) {
      int x = *(const unsigned char *)(s + i), y = *(const unsigned char *)(t + i);
      if (x >= 'A' && x <= 'Z') x += 32;
      if (y >= 'A' && y <= 'Z') y += 32;
      if (x != y) break;
    }
    if (!t[i]) return (char *)s;
    if (!*s) return (char *)0;
  }
}
int __bolide_model_isascii(int c) { return __bolide_model___truth_of(c >= 0 && c <= 127); }
int __bolide_model_toascii(int c) { return c & 127; }
unsigned __bolide_model_htonl(unsigned v) { return (v & 255u) << 24 | (v >> 8 & 255u) << 16 | (v >> 16 & 255u) << 8 | v >> 24; }
unsigned __bolide_model_ntohl(unsigned v) { return (v & 255u) << 24 | (v >> 8 & 255u) << 16 | (v >> 16 & 255u) << 8 | v >> 24; }
unsigned short __bolide_model_htons(unsigned short v) { return (unsigned short)((v & 255) << 8 | v >> 8); }
unsigned short __bolide_model_ntohs(unsigned short v) { return (unsigned short)((v & 255) << 8 | v >> 8); }
void __bolide_model_explicit_bzero(void *to, unsigned long n) { __builtin_memset(to, 0, n); }
