typedef __WIDE__ wint;
struct div_s { int quot, rem; };
struct ldiv_s { long quot, rem; };
struct lldiv_s { long long quot, rem; };
extern unsigned long strlen(const char *), strnlen(const char *, unsigned long), strspn(const char *, const char *), strcspn(const char *, const char *);
extern unsigned long strlcpy(char *, const char *, unsigned long), strlcat(char *, const char *, unsigned long);
extern int strcmp(const char *, const char *), strcoll(const char *, const char *), strncmp(const char *, const char *, unsigned long);
extern int strcasecmp(const char *, const char *), strncasecmp(const char *, const char *, unsigned long);
extern char *strcpy(char *, const char *), *strncpy(char *, const char *, unsigned long), *stpcpy(char *, const char *), *stpncpy(char *, const char *, unsigned long);
extern char *strcat(char *, const char *), *strncat(char *, const char *, unsigned long);
extern char *strchr(const char *, int), *strrchr(const char *, int), *index(const char *, int), *rindex(const char *, int), *strchrnul(const char *, int);
extern char *strstr(const char *, const char *), *strcasestr(const char *, const char *), *strpbrk(const char *, const char *);
extern char *strdup(const char *), *strndup(const char *, unsigned long), *strtok(char *, const char *), *strtok_r(char *, const char *, char **), *strsep(char **, const char *);
extern void *rawmemchr(const void *, int), *memchr(const void *, int, unsigned long), *memrchr(const void *, int, unsigned long);
extern void *memmem(const void *, unsigned long, const void *, unsigned long), *memccpy(void *, const void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long), *memmove(void *, const void *, unsigned long), *mempcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long), bzero(void *, unsigned long), explicit_bzero(void *, unsigned long), bcopy(const void *, void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long), bcmp(const void *, const void *, unsigned long);
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long), free(void *);
extern void *memalign(unsigned long, unsigned long), *aligned_alloc(unsigned long, unsigned long);
extern int posix_memalign(void **, unsigned long, unsigned long);
extern int isdigit(int), islower(int), isupper(int), isalpha(int), isalnum(int), isspace(int), isxdigit(int), isprint(int), isgraph(int);
extern int iscntrl(int), isblank(int), ispunct(int), toupper(int), tolower(int), isascii(int), toascii(int);
extern const unsigned short **__ctype_b_loc(void);
extern int abs(int), atoi(const char *), ffs(int), ffsl(long), ffsll(long long), *__errno_location(void);
extern long labs(long), atol(const char *), strtol(const char *, char **, int);
extern long long llabs(long long), imaxabs(long long), atoll(const char *), strtoll(const char *, char **, int), strtoimax(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern unsigned long long strtoull(const char *, char **, int), strtoumax(const char *, char **, int);
extern struct div_s div(int, int);
extern struct ldiv_s ldiv(long, long);
extern struct lldiv_s lldiv(long long, long long), imaxdiv(long long, long long);
extern unsigned htonl(unsigned), ntohl(unsigned);
extern unsigned short htons(unsigned short), ntohs(unsigned short);
extern int sprintf(char *, const char *, ...), snprintf(char *, unsigned long, const char *, ...), asprintf(char **, const char *, ...);
extern int vsprintf(char *, const char *, __builtin_va_list), vsnprintf(char *, unsigned long, const char *, __builtin_va_list);
extern int sscanf(const char *, const char *, ...);
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
extern void *bsearch(const void *, const void *, unsigned long, unsigned long, int (*)(const void *, const void *));
extern unsigned long wcslen(const wint *), wcsnlen(const wint *, unsigned long);
extern wint *wcscpy(wint *, const wint *), *wcscat(wint *, const wint *), *wcsncat(wint *, const wint *, unsigned long), *wcsncpy(wint *, const wint *, unsigned long);
extern wint *wmemset(wint *, wint, unsigned long), *wmemcpy(wint *, const wint *, unsigned long), *wmemmove(wint *, const wint *, unsigned long);
extern wint *wcschr(const wint *, wint), *wcsrchr(const wint *, wint), *wmemchr(const wint *, wint, unsigned long);
extern int wcscmp(const wint *, const wint *), wcsncmp(const wint *, const wint *, unsigned long), wmemcmp(const wint *, const wint *, unsigned long);
extern double fabs(double), copysign(double, double), sqrt(double), floor(double), ceil(double), trunc(double), round(double), rint(double), nearbyint(double);
extern double fmod(double, double), fdim(double, double), fmin(double, double), fmax(double, double), strtod(const char *, char **), atof(const char *), difftime(long, long);
extern float fabsf(float), copysignf(float, float), sqrtf(float), floorf(float), ceilf(float), truncf(float), roundf(float), rintf(float), nearbyintf(float);
extern float fmodf(float, float), fdimf(float, float), fminf(float, float), fmaxf(float, float), strtof(const char *, char **);
extern long lround(double), lrint(double), lroundf(float), lrintf(float);
extern long long llround(double), llrint(double), llroundf(float), llrintf(float);
extern int __fpclassify(double), __isnan(double), __isinf(double), __finite(double), __fpclassifyf(float), __isinff(float);
extern double modf(double, double *), frexp(double, int *), ldexp(double, int), scalbn(double, int), scalbln(double, long), logb(double), nan(const char *);
extern float modff(float, float *), frexpf(float, int *), ldexpf(float, int), scalbnf(float, int), scalblnf(float, long), logbf(float), nanf(const char *);
extern int ilogb(double), ilogbf(float);
extern double creal(double _Complex), cimag(double _Complex);
extern double _Complex conj(double _Complex);

unsigned long long sum;
char room[64];
void out(long long v) { sum = sum * 31 + (unsigned long long)v + 7; }
int sign(int v) { return v < 0 ? -1 : v > 0; }
void at(const void *p, const char *s) { out(p ? (const char *)p - s : -1); }
void text(const char *s) { int i; for (i = 0; s[i]; i++) out(s[i]); out(i); }
void fill(void) { int i; for (i = 0; i < 64; i++) room[i] = 'q'; }
void all(void) { int i; for (i = 0; i < 64; i++) out(room[i]); fill(); }
void real(double v) {
  union { double d; unsigned long long u; } x;
  x.d = v;
  out(v != v ? 1 : (long long)x.u);
}
int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
int bytes(const void *a, const void *b) { return *(const signed char *)a - *(const signed char *)b; }
int lists(char *to, unsigned long n, const char *f, ...) {
  __builtin_va_list a;
  __builtin_va_start(a, f);
  int r = vsnprintf(to, n, f, a);
  __builtin_va_end(a);
  if (r >= (int)n) return r;
  out(r);
  __builtin_va_start(a, f);
  r = vsprintf(to, f, a);
  __builtin_va_end(a);
  return r;
}
