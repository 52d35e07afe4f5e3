// Functions of compilers: all arguments are evaluated, except for one whose value is only talked about.
extern void reach_error(void);
typedef struct { int quot, rem; } div_t;
extern div_t div(int, int);
extern void *mempcpy(void *, const void *, unsigned long);
int a[4], g;
int step(void) { return ++g; }
int main(void) {
  int i = 0;
  __builtin_prefetch(&a[i++]);
  if (i != 1) reach_error();
  if (__builtin_expect(step(), g++) != 1 || g != 2) reach_error();
  if (!__builtin_constant_p(5) || !__builtin_constant_p("text")) reach_error();
  if (__builtin_constant_p(i++) > 1 || i != 1) reach_error();
  div_t d = div(-7, 2);
  if (d.quot != -3 || d.rem != -1) reach_error();
  char b[4];
  char *end = mempcpy(b, "ab", 3);
  if (end != b + 3 || b[1] != 'b') reach_error();
  __builtin___strcpy_chk(b, "xy", 4);
  if (b[0] != 'x') reach_error();
  return 0;
}
