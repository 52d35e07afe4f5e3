unsigned long __bolide_model_strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }
int __bolide_model_strcmp(const char *a, const char *b) {
  while (*a && *a == *b) { a++; b++; }
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
int __bolide_model_strncmp(const char *a, const char *b, unsigned long n) {
  while (n && *a && *a == *b) { a++; b++; n--; }
  return n ? *(const unsigned char *)a - *(const unsigned char *)b : 0;
}
char *__bolide_model_strcpy(char *d, const char *s) {
  char *r = d;
  while ((*d = *s)) { d++; s++; }
  return r;
}
char *__bolide_model_strncpy(char *d, const char *s, unsigned long n) {
  unsigned long i = 0;
  while (i < n && s[i]) { d[i] = s[i]; i++; }
  while (i < n) { d[i] = 0; i++; }
  return d;
}
char *__bolide_model_strcat(char *d, const char *s) {
  char *r = d;
  while (*d) d++;
  while ((*d = *s)) { d++; s++; }
  return r;
}
char *__bolide_model_strchr(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return *s == (char)c ? (char *)s : (char *)0;
}
int __bolide_model_memcmp(const void *a, const void *b, unsigned long n) {
  const unsigned char *x = a, *y = b;
  while (n && *x == *y) { x++; y++; n--; }
  return n ? *x - *y : 0;
}
int __bolide_model_abs(int v) { return v < 0 ? -v : v; }
long __bolide_model_labs(long v) { return v < 0 ? -v : v; }
unsigned short __bolide_model___builtin_bswap16(unsigned short v) { return (unsigned short)((v & 255) << 8 | v >> 8); }
unsigned __bolide_model___builtin_bswap32(unsigned v) {
  return (v & 255u) << 24 | (v >> 8 & 255u) << 16 | (v >> 16 & 255u) << 8 | v >> 24;
}
unsigned long long __bolide_model___builtin_bswap64(unsigned long long v) {
  return (v & 255u) << 56 | (v >> 8 & 255u) << 48 | (v >> 16 & 255u) << 40 | (v >> 24 & 255u) << 32
    | (v >> 32 & 255u) << 24 | (v >> 40 & 255u) << 16 | (v >> 48 & 255u) << 8 | v >> 56;
}
