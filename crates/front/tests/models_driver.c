#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <arpa/inet.h>

static unsigned long long state = 88172645463325252ull;
static unsigned long long any(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static unsigned below(unsigned n) { return (unsigned)(any() % n); }
static int failed;
static void check(int same, const char *what, int round) {
  if (!same && failed++ < 20) printf("%s differs in round %d\n", what, round);
}
static int sign(int v) { return v < 0 ? -1 : v > 0; }

/* A text of few different characters, so that matches are likely. */
static void text(char *s, unsigned most, const char *alphabet) {
  unsigned n = below(most), i;
  for (i = 0; i < n; i++) s[i] = alphabet[below((unsigned)strlen(alphabet))];
  s[n] = 0;
}
static void wide(wchar_t *s, unsigned most) {
  unsigned n = below(most), i;
  for (i = 0; i < n; i++) s[i] = (wchar_t)(below(3) == 0 ? -5 : 'a' + (int)below(3));
  s[n] = 0;
}

static long long number(void) {
  switch (below(6)) {
    case 0: return 0;
    case 1: return (long long)below(200) - 100;
    case 2: return (long long)(any() & 0xffffffffu) - 0x80000000ll;
    case 3: return (long long)1 << 63;
    case 4: return (long long)0x7fffffff;
    default: return (long long)any();
  }
}

/* What a conversion of a number does, as calls of `sscanf` are lowered. */
static int scan_number(const char *s, int base, int width, int is_signed, long *to) {
  const char *end = __bolide_model___scan_number(s, base, width);
  if (!end) return __bolide_model___scan_fails(s, 1, 0);
  *to = (long)__bolide_model___scan_value(s, end, base, (unsigned long)-1 >> is_signed, is_signed);
  return 1;
}
static void scans(int round) {
  static const char *const formats[] = {"%li", "%ld", "%lu", "%lx", "%lo", "%3li", "%2lx", "%1ld"};
  static const int bases[] = {0, 10, 10, 16, 8, 0, 16, 10}, widths[] = {999, 999, 999, 999, 999, 3, 2, 1};
  char s[24], a[24], b[24], *e1, *e2;
  unsigned k = below(8);
  long x = 77, y = 77;
  int n, m;
  text(s, 22, below(2) ? "0123xX-+ fz9" : "0123456789");
  n = sscanf(s, formats[k], &x);
  m = scan_number(s, bases[k], widths[k], k != 2 && k != 3 && k != 4 && k != 6, &y);
  check(n == m && x == y, formats[k], round);
  text(s, 12, "ab -c");
  memset(a, 'z', sizeof a);
  memset(b, 'z', sizeof b);
  n = sscanf(s, "%4s", a);
  m = __bolide_model___scan_string(s, b, 4) ? 1 : __bolide_model___scan_fails(s, 1, 0);
  check(n == m && !memcmp(a, b, sizeof a), "%4s", round);
  n = sscanf(s, "%3c", a);
  m = __bolide_model___scan_chars(s, b, 3) ? 1 : __bolide_model___scan_fails(s, 0, 0);
  check(n == m && !memcmp(a, b, sizeof a), "%3c", round);
  n = sscanf(s, "%[ab-]", a);
  m = __bolide_model___scan_set(s, b, 999, 1ull << '-', 3ull << ('a' - 64), 0, 0) ? 1 : __bolide_model___scan_fails(s, 0, 0);
  check(n == m && !memcmp(a, b, sizeof a), "%[ab-]", round);
  text(s, 14, below(3) ? "0123.e-9" : below(2) ? "0x1.8p-f" : "infaty(n)");
  curve = strtod(s, &e1);
  double r = __bolide_model_strtod(s, &e2);
  check((r == curve || (r != r && curve != curve)) && e1 == e2, "strtod", round);
  float f = strtof(s, &e1);
  if (curve - curve == 0) {
    double wide = curve;
    curve = wide;
    float g = __bolide_model_strtof(s, &e2);
    check((f == g || g == (float)wide) && e1 == e2, "strtof", round);
  }
  check(ffs((int)x) == __bolide_model_ffs((int)x) && ffsl(x) == __bolide_model_ffsl(x), "ffs", round);
}

static char fa[400], fb[400];
static int both(int round, unsigned size, const char *format, ...) {
  va_list a, b;
  int x, y;
  memset(fa, 'z', sizeof fa);
  memset(fb, 'z', sizeof fb);
  va_start(a, format);
  va_start(b, format);
  x = vsnprintf(fa, size, format, a);
  y = __bolide_model_vsnprintf(fb, size, format, b);
  va_end(a);
  va_end(b);
  if (x != y || memcmp(fa, fb, sizeof fa)) printf("format \"%s\" size %u: %d \"%s\", not %d \"%s\"\n", format, size, x, size ? fa : "", y, size ? fb : "");
  check(x == y && !memcmp(fa, fb, sizeof fa), "vsnprintf", round);
  return 0;
}

static void formats(int round) {
  static const char *lengths[] = {"hh", "h", "", "l", "ll", "z", "j"};
  char f[64] = "x%", s[16];
  unsigned i, length = below(7), size = below(3) ? 200 : below(12), star = below(4), point = below(4);
  char conversion = "diuxXocs%"[below(9)];
  for (i = 0; i < below(3); i++) strncat(f, &"-+ #0"[below(5)], 1);
  if (conversion == '%') { both(round, size, "a%%b%%"); return; }
  if (star == 0) strcat(f, "*"); else if (star == 1) sprintf(f + strlen(f), "%u", 1 + below(20));
  if (point == 0) strcat(f, ".*"); else if (point == 1) sprintf(f + strlen(f), ".%u", below(20));
  if (conversion != 'c' && conversion != 's') strcat(f, lengths[length]);
  strncat(f, &conversion, 1);
  strcat(f, "y");
  text(s, 12, "ab c");
  int w = (int)below(40) - 20, p = (int)below(30) - 5;
  long long v = number();
#define CALL(value) \
  if (star == 0 && point == 0) both(round, size, f, w, p, value); \
  else if (star == 0) both(round, size, f, w, value); \
  else if (point == 0) both(round, size, f, p, value); \
  else both(round, size, f, value)
  if (conversion == 's') { CALL(s); }
  else if (conversion == 'c') { CALL((int)(unsigned char)v); }
  else if (length < 3) { CALL((int)v); }
  else { CALL(v); }
}

int main(void) {
  int round;
  for (round = 0; round < 20000; round++) {
    char a[32], b[32], c[32], d[32], set[8], *p, *q, *save = 0, *save2 = 0;
    unsigned n = below(12);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    text(a, 12, "abAB, 1");
    strcpy(b, a);
    text(set, 4, "abA, ");
    text(c, 6, "abAB1");
    text(d, 6, "abAB1");
    check(sign(strcmp(a, c)) == sign(__bolide_model_strcmp(a, c)), "strcmp", round);
    check(sign(strncmp(a, c, n)) == sign(__bolide_model_strncmp(a, c, n)), "strncmp", round);
    check(sign(strcasecmp(a, c)) == sign(__bolide_model_strcasecmp(a, c)), "strcasecmp", round);
    check(sign(strncasecmp(a, c, n)) == sign(__bolide_model_strncasecmp(a, c, n)), "strncasecmp", round);
    check(sign(memcmp(a, b, n)) == sign(__bolide_model_memcmp(a, b, n)), "memcmp", round);
    check(strlen(a) == __bolide_model_strlen(a), "strlen", round);
    check(strnlen(a, n) == __bolide_model_strnlen(a, n), "strnlen", round);
    check(strspn(a, set) == __bolide_model_strspn(a, set), "strspn", round);
    check(strcspn(a, set) == __bolide_model_strcspn(a, set), "strcspn", round);
    check(strpbrk(a, set) == __bolide_model_strpbrk(a, set), "strpbrk", round);
    check(strstr(a, c) == __bolide_model_strstr(a, c), "strstr", round);
    check(strcasestr(a, c) == __bolide_model_strcasestr(a, c), "strcasestr", round);
    check(strchr(a, set[0]) == __bolide_model_strchr(a, set[0]), "strchr", round);
    check(strrchr(a, set[0]) == __bolide_model_strrchr(a, set[0]), "strrchr", round);
    check(strchrnul(a, set[0]) == __bolide_model_strchrnul(a, set[0]), "strchrnul", round);
    check(rawmemchr(a, 0) == __bolide_model_rawmemchr(a, 0), "rawmemchr", round);
    check(index(a, set[0]) == __bolide_model_index(a, set[0]), "index", round);
    check(rindex(a, set[0]) == __bolide_model_rindex(a, set[0]), "rindex", round);
    check(memchr(a, set[0], strlen(a)) == __bolide_model_memchr(a, set[0], strlen(a)), "memchr", round);
    check(memrchr(a, set[0], strlen(a)) == __bolide_model_memrchr(a, set[0], strlen(a)), "memrchr", round);
    check(memmem(a, strlen(a), c, strlen(c)) == __bolide_model_memmem(a, strlen(a), c, strlen(c)), "memmem", round);
    check(atoi(a + below(3) * 0) == __bolide_model_atoi(a), "atoi", round);

    do {
      p = strtok_r(save ? 0 : a, set, &save);
      q = __bolide_model_strtok_r(save2 ? 0 : b, set, &save2);
      check((p == 0) == (q == 0) && (!p || (p - a == q - b && !strcmp(p, q))), "strtok_r", round);
    } while (p && q);
    check(!memcmp(a, b, 12), "strtok_r's text", round);
    text(a, 12, "abAB, 1");
    strcpy(b, a);
    p = a;
    q = b;
    while (p && q) {
      char *x = strsep(&p, set), *y = __bolide_model_strsep(&q, set);
      check(!strcmp(x, y) && (p == 0) == (q == 0), "strsep", round);
    }

    memset(a, 'q', sizeof a);
    memset(b, 'q', sizeof b);
    check(stpncpy(a, c, n) - a == __bolide_model_stpncpy(b, c, n) - b && !memcmp(a, b, sizeof a), "stpncpy", round);
    strncpy(a, d, n);
    __bolide_model_strncpy(b, d, n);
    check(!memcmp(a, b, sizeof a), "strncpy", round);
    p = memccpy(a, c, 'b', strlen(c));
    q = __bolide_model_memccpy(b, c, 'b', strlen(c));
    check((p ? p - a : -1) == (q ? q - b : -1) && !memcmp(a, b, sizeof a), "memccpy", round);
    strcpy(a, c);
    __bolide_model_strcpy(b, c);
    strcat(a, d);
    __bolide_model_strcat(b, d);
    strncat(a, d, n);
    __bolide_model_strncat(b, d, n);
    check(!strcmp(a, b), "strcat", round);
    p = strndup(a, n);
    q = __bolide_model_strndup(a, n);
    check(!strcmp(p, q), "strndup", round);
    free(p);
    free(q);
    bcopy(a, a + 2, n);
    __bolide_model_bcopy(b, b + 2, n);
    check(!memcmp(a, b, 14), "bcopy", round);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 38)
    strcpy(a, c);
    strcpy(b, c);
    check(strlcat(a, d, n) == __bolide_model_strlcat(b, d, n) && !strcmp(a, b), "strlcat", round);
    memset(a, 'q', sizeof a);
    memset(b, 'q', sizeof b);
    check(strlcpy(a, d, n) == __bolide_model_strlcpy(b, d, n) && !memcmp(a, b, sizeof a), "strlcpy", round);
#endif
#endif

    {
      wchar_t x[32], y[32], u[8], v[8];
      wide(u, 6);
      wide(v, 6);
      wcscpy(x, u);
      __bolide_model_wcscpy(y, u);
      wcscat(x, v);
      __bolide_model_wcscat(y, v);
      wcsncat(x, v, n);
      __bolide_model_wcsncat(y, v, n);
      check(wcslen(x) == __bolide_model_wcslen(y) && !wmemcmp(x, y, wcslen(x) + 1), "wcscat", round);
      check(sign(wcscmp(u, v)) == sign(__bolide_model_wcscmp(u, v)), "wcscmp", round);
      check(sign(wcsncmp(u, v, n)) == sign(__bolide_model_wcsncmp(u, v, n)), "wcsncmp", round);
      check(wcschr(u, 'a') == __bolide_model_wcschr(u, 'a'), "wcschr", round);
      check(wcsrchr(u, 'a') == __bolide_model_wcsrchr(u, 'a'), "wcsrchr", round);
      check(wmemchr(u, 'b', wcslen(u)) == __bolide_model_wmemchr(u, 'b', wcslen(u)), "wmemchr", round);
      wmemset(x, 7, 10);
      __bolide_model_wmemset(y, 7, 10);
      wcsncpy(x, u, n);
      __bolide_model_wcsncpy(y, u, n);
      check(!wmemcmp(x, y, 10), "wcsncpy", round);
    }
    {
      unsigned w = (unsigned)any();
      int ch = (int)below(257) - 1;
      check(htonl(w) == __bolide_model_htonl(w) && ntohl(w) == __bolide_model_ntohl(w), "htonl", round);
      check(htons((unsigned short)w) == __bolide_model_htons((unsigned short)w), "htons", round);
      check(!!isalpha(ch) == !!__bolide_model_isalpha(ch) && !!isspace(ch) == !!__bolide_model_isspace(ch), "isalpha", round);
      check(!!ispunct(ch) == !!__bolide_model_ispunct(ch) && !!isxdigit(ch) == !!__bolide_model_isxdigit(ch), "ispunct", round);
      check(!!isgraph(ch) == !!__bolide_model_isgraph(ch) && !!iscntrl(ch) == !!__bolide_model_iscntrl(ch), "isgraph", round);
      check(toupper(ch) == __bolide_model_toupper(ch) && tolower(ch) == __bolide_model_tolower(ch), "toupper", round);
      check(__builtin_popcount(w) == __bolide_model___builtin_popcount(w), "popcount", round);
      if (w) check(__builtin_clz(w) == __bolide_model___builtin_clz(w) && __builtin_ctz(w) == __bolide_model___builtin_ctz(w), "clz", round);
    }
    {
      char digits[16], *e1, *e2;
      int base = (int[]){0, 2, 8, 10, 16, 36}[below(6)];
      text(digits, 14, "0123xX-+ fz9");
      long x = strtol(digits, &e1, base), y = __bolide_model_strtol(digits, &e2, base);
      check(x == y && e1 == e2, "strtol", round);
      unsigned long u = strtoul(digits, &e1, base), v = __bolide_model_strtoul(digits, &e2, base);
      check(u == v && e1 == e2, "strtoul", round);
    }
    formats(round);
    scans(round);
    {
      /* What the models of curves say of real results. */
      double x = (double)number() / (below(2) ? 1.0 : 1e15);
      curve = sin(x); check(__bolide_model_sin(x) == curve, "sin", round);
      curve = cos(x); check(__bolide_model_cos(x) == curve, "cos", round);
      curve = tanh(x); check(__bolide_model_tanh(x) == curve, "tanh", round);
      curve = atan(x); check(__bolide_model_atan(x) == curve, "atan", round);
      curve = exp(x); check(__bolide_model_exp(x) == curve, "exp", round);
      curve = exp2(x); check(__bolide_model_exp2(x) == curve, "exp2", round);
      curve = cosh(x); check(__bolide_model_cosh(x) == curve, "cosh", round);
      float y = (float)x;
      curve = sinf(y); check(__bolide_model_sinf(y) == (float)curve, "sinf", round);
      curve = atanf(y); check(__bolide_model_atanf(y) == (float)curve, "atanf", round);
      curve = expf(y); check(__bolide_model_expf(y) == (float)curve, "expf", round);
    }
  }
  {
    char s[8];
    check(__bolide_model_snprintf(s, sizeof s, "%d-%s", 12, "abcdefgh") == 11 && !strcmp(s, "12-abcd"), "snprintf", 0);
    check(__bolide_model_sprintf(s, "%03x", 10) == 3 && !strcmp(s, "00a"), "sprintf", 0);
    char *made = 0;
    check(__bolide_model_asprintf(&made, "%s=%d", "x", -7) == 4 && !strcmp(made, "x=-7"), "asprintf", 0);
  }
  if (failed) printf("%d differences\n", failed);
  return failed != 0;
}
