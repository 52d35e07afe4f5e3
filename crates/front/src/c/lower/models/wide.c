unsigned long __bolide_model_wcslen(const int *s) { unsigned long n = 0; while (s[n]) n++; return n; }
unsigned long __bolide_model_wcsnlen(const int *s, unsigned long n) {
  unsigned long i = 0;
  while (i < n && s[i]) i++;
  return i;
}
int *__bolide_model_wcscpy(int *d, const int *s) {
  int *r = d;
  while ((*d = *s)) { d++; s++; }
  return r;
}
int *__bolide_model_wcsncpy(int *d, const int *s, unsigned long n) {
  unsigned long i = 0;
  while (i < n && s[i]) { d[i] = s[i]; i++; }
  while (i < n) { d[i] = 0; i++; }
  return d;
}
int *__bolide_model_wcscat(int *d, const int *s) {
  int *r = d;
  while (*d) d++;
  while ((*d = *s)) { d++; s++; }
  return r;
}
int *__bolide_model_wcsncat(int *d, const int *s, unsigned long n) {
  int *r = d;
  while (*d) d++;
  while (n && *s) { *d = *s; d++; s++; n--; }
  *d = 0;
  return r;
}
int __bolide_model_wcscmp(const int *a, const int *b) {
  while (*a && *a == *b) { a++; b++; }
  return __bolide_model___sign_of(*a < *b ? -1 : *a > *b);
}
int __bolide_model_wcsncmp(const int *a, const int *b, unsigned long n) {
  while (n && *a && *a == *b) { a++; b++; n--; }
  return n ? __bolide_model___sign_of(*a < *b ? -1 : *a > *b) : 0;
}
int *__bolide_model_wcschr(const int *s, int c) {
  while (*s && *s != c) s++;
  return *s == c ? (int *)s : (int *)0;
}
int *__bolide_model_wcsrchr(const int *s, int c) {
  const int *found = 0;
  for (;; s++) {
    if (*s == c) found = s;
    if (!*s) return (int *)found;
  }
}
int *__bolide_model_wmemset(int *d, int c, unsigned long n) {
  unsigned long i = 0;
  for (i = 0; i < n; i++) d[i] = c;
  return d;
}
int *__bolide_model_wmemcpy(int *d, const int *s, unsigned long n) {
  unsigned long i = 0;
  for (i = 0; i < n; i++) d[i] = s[i];
  return d;
}
int *__bolide_model_wmemmove(int *d, const int *s, unsigned long n) {
  __builtin_memmove(d, s, n * sizeof(int));
  return d;
}
int __bolide_model_wmemcmp(const int *a, const int *b, unsigned long n) {
  __bolide_reads(a, n * sizeof(int));
  __bolide_reads(b, n * sizeof(int));
  while (n && *a == *b) { a++; b++; n--; }
  return n ? __bolide_model___sign_of(*a < *b ? -1 : 1) : 0;
}
int *__bolide_model_wmemchr(const int *s, int c, unsigned long n) {
  while (n && *s != c) { s++; n--; }
  return n ? (int *)s : (int *)0;
}
