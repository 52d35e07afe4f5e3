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
int __bolide_model___builtin_clz(unsigned v) {
  int n = 0;
  if (v < 65536u) { n += 16; v <<= 16; }
  if (v < 16777216u) { n += 8; v <<= 8; }
  if (v < 268435456u) { n += 4; v <<= 4; }
  if (v < 1073741824u) { n += 2; v <<= 2; }
  return v < 2147483648u ? n + 1 : n;
}
int __bolide_model___builtin_clzll(unsigned long long v) {
  return v < 4294967296ull ? 32 + __bolide_model___builtin_clz((unsigned)v) : __bolide_model___builtin_clz((unsigned)(v >> 32));
}
int __bolide_model___builtin_clzl(unsigned long v) {
  return sizeof(long) == 4 ? __bolide_model___builtin_clz((unsigned)v) : __bolide_model___builtin_clzll(v);
}
int __bolide_model___builtin_ctz(unsigned v) {
  int n = 0;
  if ((v & 65535u) == 0) { n += 16; v >>= 16; }
  if ((v & 255u) == 0) { n += 8; v >>= 8; }
  if ((v & 15u) == 0) { n += 4; v >>= 4; }
  if ((v & 3u) == 0) { n += 2; v >>= 2; }
  return (v & 1u) == 0 ? n + 1 : n;
}
int __bolide_model___builtin_ctzll(unsigned long long v) {
  return (unsigned)v == 0 ? 32 + __bolide_model___builtin_ctz((unsigned)(v >> 32)) : __bolide_model___builtin_ctz((unsigned)v);
}
int __bolide_model___builtin_ctzl(unsigned long v) { return __bolide_model___builtin_ctzll(v); }
int __bolide_model___builtin_ffsll(long long v) { return v == 0 ? 0 : 1 + __bolide_model___builtin_ctzll((unsigned long long)v); }
int __bolide_model___builtin_ffsl(long v) { return v == 0 ? 0 : 1 + __bolide_model___builtin_ctzll((unsigned long)v); }
int __bolide_model___builtin_ffs(int v) { return v == 0 ? 0 : 1 + __bolide_model___builtin_ctz((unsigned)v); }
int __bolide_model___builtin_popcount(unsigned v) {
  return (int)(v & 1u) + (int)(v >> 1 & 1u) + (int)(v >> 2 & 1u) + (int)(v >> 3 & 1u) + (int)(v >> 4 & 1u) + (int)(v >> 5 & 1u) + (int)(v >> 6 & 1u) + (int)(v >> 7 & 1u)
    + (int)(v >> 8 & 1u) + (int)(v >> 9 & 1u) + (int)(v >> 10 & 1u) + (int)(v >> 11 & 1u) + (int)(v >> 12 & 1u) + (int)(v >> 13 & 1u) + (int)(v >> 14 & 1u) + (int)(v >> 15 & 1u)
    + (int)(v >> 16 & 1u) + (int)(v >> 17 & 1u) + (int)(v >> 18 & 1u) + (int)(v >> 19 & 1u) + (int)(v >> 20 & 1u) + (int)(v >> 21 & 1u) + (int)(v >> 22 & 1u) + (int)(v >> 23 & 1u)
    + (int)(v >> 24 & 1u) + (int)(v >> 25 & 1u) + (int)(v >> 26 & 1u) + (int)(v >> 27 & 1u) + (int)(v >> 28 & 1u) + (int)(v >> 29 & 1u) + (int)(v >> 30 & 1u) + (int)(v >> 31 & 1u);
}
int __bolide_model___builtin_popcountll(unsigned long long v) {
  return __bolide_model___builtin_popcount((unsigned)v) + __bolide_model___builtin_popcount((unsigned)(v >> 32));
}
int __bolide_model___builtin_popcountl(unsigned long v) { return __bolide_model___builtin_popcountll(v); }
int __bolide_model___builtin_parity(unsigned v) { return __bolide_model___builtin_popcount(v) & 1; }
int __bolide_model___builtin_parityll(unsigned long long v) { return __bolide_model___builtin_popcountll(v) & 1; }
int __bolide_model___builtin_parityl(unsigned long v) { return __bolide_model___builtin_popcountll(v) & 1; }
int __bolide_model_isdigit(int c) { return c >= '0' && c <= '9'; }
int __bolide_model_islower(int c) { return c >= 'a' && c <= 'z'; }
int __bolide_model_isupper(int c) { return c >= 'A' && c <= 'Z'; }
int __bolide_model_isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int __bolide_model_isalnum(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
int __bolide_model_isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int __bolide_model_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
int __bolide_model_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
