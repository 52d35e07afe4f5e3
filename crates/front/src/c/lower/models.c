int __bolide_from_sign(void);
int __bolide_from_truth(void);
void __bolide_reads(const void *, unsigned long);
int __bolide_model___sign_of(int d) {
  int v = 0;
  if (d == 0) return 0;
  v = __bolide_from_sign();
  if (v < 0) v = -1 - v;
  return d < 0 ? -1 - v : v == 0 ? 1 : v;
}
int __bolide_model___truth_of(int c) {
  int v = 0;
  if (!c) return 0;
  v = __bolide_from_truth();
  return v == 0 ? 1 : v;
}
unsigned long __bolide_model_strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }
int __bolide_model_strcmp(const char *a, const char *b) {
  while (*a && *a == *b) { a++; b++; }
  return __bolide_model___sign_of(*(const unsigned char *)a - *(const unsigned char *)b);
}
int __bolide_model_strncmp(const char *a, const char *b, unsigned long n) {
  while (n && *a && *a == *b) { a++; b++; n--; }
  return n ? __bolide_model___sign_of(*(const unsigned char *)a - *(const unsigned char *)b) : 0;
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
  __bolide_reads(a, n);
  __bolide_reads(b, n);
  while (n && *x == *y) { x++; y++; n--; }
  return n ? __bolide_model___sign_of(*x - *y) : 0;
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
int __bolide_model___builtin_clrsb(int v) {
  if (v < 0) v = ~v;
  return v == 0 ? 31 : __bolide_model___builtin_clz(v) - 1;
}
int __bolide_model___builtin_clrsbll(long long v) {
  if (v < 0) v = ~v;
  return v == 0 ? 63 : __bolide_model___builtin_clzll(v) - 1;
}
int __bolide_model___builtin_clrsbl(long v) {
  return sizeof(long) == 4 ? __bolide_model___builtin_clrsb(v) : __bolide_model___builtin_clrsbll(v);
}
int __bolide_model_isdigit(int c) { return __bolide_model___truth_of(c >= '0' && c <= '9'); }
int __bolide_model_islower(int c) { return __bolide_model___truth_of(c >= 'a' && c <= 'z'); }
int __bolide_model_isupper(int c) { return __bolide_model___truth_of(c >= 'A' && c <= 'Z'); }
int __bolide_model_isalpha(int c) { return __bolide_model___truth_of((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); }
int __bolide_model_isalnum(int c) { return __bolide_model___truth_of((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }
int __bolide_model_isspace(int c) { return __bolide_model___truth_of(c == ' ' || (c >= 9 && c <= 13)); }
int __bolide_model_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
int __bolide_model_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int __bolide_model_isxdigit(int c) { return __bolide_model___truth_of((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')); }
int __bolide_model_isprint(int c) { return __bolide_model___truth_of(c >= 32 && c <= 126); }
int __bolide_model_isgraph(int c) { return __bolide_model___truth_of(c >= 33 && c <= 126); }
int __bolide_model_iscntrl(int c) { return __bolide_model___truth_of((c >= 0 && c <= 31) || c == 127); }
int __bolide_model_isblank(int c) { return __bolide_model___truth_of(c == ' ' || c == 9); }
int __bolide_model_ispunct(int c) { return __bolide_model___truth_of((c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126)); }
const unsigned short **__bolide_model___ctype_b_loc(void) {
  static const unsigned short table[384] = { [128] =
    2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194, 8194, 8194, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    24577, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
    55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 49156, 49156, 49156, 49156, 49156, 49156,
    49156, 54536, 54536, 54536, 54536, 54536, 54536, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
    50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 49156, 49156, 49156, 49156, 49156,
    49156, 54792, 54792, 54792, 54792, 54792, 54792, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
    50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 49156, 49156, 49156, 49156, 2,
  };
  static const unsigned short *zero = table + 128;
  return &zero;
}
long long __bolide_model_llabs(long long v) { return v < 0 ? -v : v; }
int *__bolide_model___errno_location(void) {
  static int number;
  return &number;
}
unsigned long __bolide_model_strnlen(const char *s, unsigned long n) {
  unsigned long i = 0;
  while (i < n && s[i]) i++;
  return i;
}
char *__bolide_model_strncat(char *d, const char *s, unsigned long n) {
  char *r = d;
  while (*d) d++;
  while (n && *s) { *d = *s; d++; s++; n--; }
  *d = 0;
  return r;
}
char *__bolide_model_stpcpy(char *d, const char *s) {
  while ((*d = *s)) { d++; s++; }
  return d;
}
char *__bolide_model_strrchr(const char *s, int c) {
  const char *found = 0;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}
void *__bolide_model_memchr(const void *p, int c, unsigned long n) {
  const unsigned char *s = p;
  while (n && *s != (unsigned char)c) { s++; n--; }
  return n ? (void *)s : (void *)0;
}
char *__bolide_model_strstr(const char *s, const char *t) {
  for (;; s++) {
    unsigned long i = 0;
    while (t[i] && s[i] == t[i]) i++;
    if (!t[i]) return (char *)s;
    if (!*s) return (char *)0;
  }
}
unsigned long __bolide_model_strspn(const char *s, const char *set) {
  unsigned long n = 0;
  for (;; n++) {
    const char *t = set;
    while (*t && *t != s[n]) t++;
    if (!s[n] || !*t) return n;
  }
}
unsigned long __bolide_model_strcspn(const char *s, const char *set) {
  unsigned long n = 0;
  for (;; n++) {
    const char *t = set;
    while (*t && *t != s[n]) t++;
    if (!s[n] || *t) return n;
  }
}
char *__bolide_model_strpbrk(const char *s, const char *set) {
  for (; *s; s++) {
    const char *t = set;
    while (*t && *t != *s) t++;
    if (*t) return (char *)s;
  }
  return (char *)0;
}
int __bolide_model_strcasecmp(const char *a, const char *b) {
  for (;; a++, b++) {
    int x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || !x) return __bolide_model___sign_of(x - y);
  }
}
int __bolide_model_strncasecmp(const char *a, const char *b, unsigned long n) {
  for (; n; a++, b++, n--) {
    int x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || !x) return __bolide_model___sign_of(x - y);
  }
  return 0;
}
char *__bolide_model_strdup(const char *s) {
  unsigned long n = 0, i = 0;
  while (s[n]) n++;
  char *d = __builtin_malloc(n + 1);
  if (!d) return d;
  for (i = 0; i <= n; i++) d[i] = s[i];
  return d;
}
unsigned long __bolide_object_size(void *);
void *__bolide_model_realloc(void *p, unsigned long n) {
  unsigned long size = __bolide_object_size(p);
  void *q = (void *)0;
  if (p && !n) { __builtin_free(p); return q; }
  q = __builtin_malloc(n);
  if (!q) return q;
  if (p) __builtin_memcpy(q, p, size < n ? size : n);
  __builtin_free(p);
  return q;
}
int __bolide_model_atoi(const char *s) {
  int v = 0, negative = 0;
  while (*s == ' ' || (*s >= 9 && *s <= 13)) s++;
  if (*s == '-' || *s == '+') { negative = *s == '-'; s++; }
  while (*s >= '0' && *s <= '9') { v = 10 * v - (*s - '0'); s++; }
  return negative ? v : -v;
}
long __bolide_model_atol(const char *s) {
  long v = 0;
  int negative = 0;
  while (*s == ' ' || (*s >= 9 && *s <= 13)) s++;
  if (*s == '-' || *s == '+') { negative = *s == '-'; s++; }
  while (*s >= '0' && *s <= '9') { v = 10 * v - (*s - '0'); s++; }
  return negative ? v : -v;
}
unsigned long long __bolide_model_strto(const char *s, char **end, int base, unsigned long long most, int is_signed) {
  const char *from = s;
  int negative = 0, any = 0, beyond = 0;
  unsigned long long v = 0;
  if (base < 0 || base == 1 || base > 36) { *__errno_location() = 22; return 0; }
  while (*s == ' ' || (*s >= 9 && *s <= 13)) s++;
  if (*s == '-' || *s == '+') { negative = *s == '-'; s++; }
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
      && ((s[2] >= '0' && s[2] <= '9') || (s[2] >= 'a' && s[2] <= 'f') || (s[2] >= 'A' && s[2] <= 'F'))) {
    s += 2;
    base = 16;
  }
  if (base == 0) base = *s == '0' ? 8 : 10;
  if (negative && is_signed) most++;
  for (;; s++) {
    int digit = 99;
    if (*s >= '0' && *s <= '9') digit = *s - '0';
    if (*s >= 'a' && *s <= 'z') digit = *s - 'a' + 10;
    if (*s >= 'A' && *s <= 'Z') digit = *s - 'A' + 10;
    if (digit >= base) break;
    any = 1;
    if (beyond || v > (most - (unsigned)digit) / (unsigned)base) beyond = 1; else v = v * (unsigned)base + (unsigned)digit;
  }
  if (end) *end = (char *)(any ? s : from);
  if (beyond) { *__errno_location() = 34; return negative && is_signed ? -most : most; }
  return negative ? -v : v;
}
long __bolide_model_strtol(const char *s, char **end, int base) {
  return (long)__bolide_model_strto(s, end, base, (unsigned long)-1 >> 1, 1);
}
unsigned long __bolide_model_strtoul(const char *s, char **end, int base) {
  return (unsigned long)__bolide_model_strto(s, end, base, (unsigned long)-1, 0);
}
long long __bolide_model_strtoll(const char *s, char **end, int base) {
  return (long long)__bolide_model_strto(s, end, base, (unsigned long long)-1 >> 1, 1);
}
unsigned long long __bolide_model_strtoull(const char *s, char **end, int base) {
  return __bolide_model_strto(s, end, base, (unsigned long long)-1, 0);
}
int __bolide_from_getchar(void);
int __bolide_model_getchar(void) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
int __bolide_model_fgetc(void *f) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
int __bolide_model_getc(void *f) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
int __bolide_from_rand(void);
int __bolide_model_rand(void) {
  int v = __bolide_from_rand();
  if (v < 0) __builtin_unreachable();
  return v;
}
long __bolide_model_random(void) {
  int v = __bolide_from_rand();
  if (v < 0) __builtin_unreachable();
  return v;
}
char __bolide_from_read(void);
long __bolide_from_read_count(void);
long __bolide_model_read(int f, void *to, unsigned long n) {
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || (count > 0 && (unsigned long)count > n)) __builtin_unreachable();
  for (i = 0; i < count; i++) ((char *)to)[i] = __bolide_from_read();
  return count;
}
long __bolide_model_recv(int f, void *to, unsigned long n, int flags) {
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || (count > 0 && (unsigned long)count > n)) __builtin_unreachable();
  for (i = 0; i < count; i++) ((char *)to)[i] = __bolide_from_read();
  return count;
}
unsigned long __bolide_from_fread_count(void);
unsigned long __bolide_model_fread(void *to, unsigned long size, unsigned long n, void *f) {
  unsigned long i = 0, part = 0, count = __bolide_from_fread_count();
  if (size == 0 || n == 0) return 0;
  if (count > n) __builtin_unreachable();
  if (count < n && size > 1) {
    part = __bolide_from_fread_count();
    if (part >= size) __builtin_unreachable();
  }
  for (i = 0; i < count * size + part; i++) ((char *)to)[i] = __bolide_from_read();
  return count;
}
int __bolide_from_fgets_count(void);
char *__bolide_model_fgets(char *to, int n, void *f) {
  int i = 0, count = __bolide_from_fgets_count();
  if (count < 0) {
    count = __bolide_from_fgets_count();
    if (count > n) __builtin_unreachable();
    for (i = 0; i < count; i++) to[i] = __bolide_from_read();
    return (char *)0;
  }
  if (count >= n || (count == 0 && n > 1)) __builtin_unreachable();
  for (i = 0; i < count; i++) {
    char c = __bolide_from_read();
    if (c == 10 && i + 1 < count) __builtin_unreachable();
    to[i] = c;
  }
  to[count] = 0;
  return to;
}
long __bolide_from_time(void);
long __bolide_model_time(long *to) {
  long now = __bolide_from_time();
  if (to) *to = now;
  return now;
}
int __bolide_from_qsort(void);
void __bolide_model_qsort(void *array, unsigned long n, unsigned long size, int (*compare)(const void *, const void *)) {
  char *a = array;
  unsigned long i = 0, j = 0, k = 0;
  for (i = 1; i < n; i++)
    for (j = i; j > 0; j--) {
      int order = compare(a + (j - 1) * size, a + j * size);
      if (order < 0 || (order == 0 && !__bolide_from_qsort())) break;
      for (k = 0; k < size; k++) {
        char byte = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = a[j * size + k];
        a[j * size + k] = byte;
      }
    }
}
void *__bolide_model_bsearch(const void *key, const void *array, unsigned long n, unsigned long size, int (*compare)(const void *, const void *)) {
  const char *a = array;
  unsigned long low = 0, high = n;
  while (low < high) {
    unsigned long middle = low + (high - low) / 2;
    int order = compare(key, a + middle * size);
    if (order == 0) return (void *)(a + middle * size);
    if (order < 0) high = middle; else low = middle + 1;
  }
  return (void *)0;
}
unsigned long __bolide_from_argument_length(void);
char **__bolide_model___arguments(int count) {
  char **list = __builtin_malloc(((unsigned long)count + 1) * sizeof(char *));
  for (int i = 0; i < count; i++) {
    unsigned long n = __bolide_from_argument_length();
    __VERIFIER_assume(n < 65536);
    char *s = __builtin_malloc(n + 1);
    s[n] = 0;
    list[i] = s;
  }
  list[count] = 0;
  return list;
}
int __bolide_from_klee_range(void);
int __bolide_model_klee_range(int low, int high, const char *name) {
  int x = __bolide_from_klee_range();
  __VERIFIER_assume(low <= x && x < high);
  return x;
}
