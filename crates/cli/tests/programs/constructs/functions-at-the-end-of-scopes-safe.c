// Functions that the attribute `cleanup` names are called wherever the rest of a scope is left: the last declaration first, and
// not where control left before the declaration.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
static int log_;
static void note(int *p) { log_ = 10 * log_ + *p; }
static void change(int *p) { *p = 9; }
static void clear(char **p) { *p = 0; log_++; }
static int early(int n) {
  if (n == 0) return log_;
  int a __attribute__((cleanup(note))) = 1;
  if (n == 1) return log_;
  __attribute__((__cleanup__(note))) int b = 2;
  {
    int c __attribute__((cleanup(note))) = 3;
    if (n == 2) return log_;
  }
  return log_;
}
static int returned(void) {
  int v __attribute__((cleanup(change))) = 4;
  return v;
}
static int loops(int n) {
  for (int i = 0; i < 4; i++) {
    int v __attribute__((cleanup(note))) = i;
    if (i == 1) continue;
    if (i == n) break;
  }
  return log_;
}
static int again(void) {
  int n = 0;
back:;
  int v __attribute__((cleanup(note))) = n + 1;
  n++;
  if (n < 3) goto back;
  return n;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  early(0);
  check(log_ == 0);
  check(early(1) == 0);
  check(log_ == 1);
  log_ = 0;
  check(early(2) == 0);
  check(log_ == 321);
  log_ = 0;
  check(early(3) == 3);
  check(log_ == 321);
  log_ = 0;
  check(returned() == 4);
  loops(2);
  check(log_ == 12);
  log_ = 0;
  check(again() == 3);
  check(log_ == 123);
  log_ = 0;
  {
    char *s __attribute__((cleanup(clear))) = "abc";
    char *__attribute__((cleanup(clear))) t = "abc";
    if (n > 5) goto out;
    switch (n) { case 3: goto out; default: break; }
    check(({ int v __attribute__((cleanup(change))) = 6; v; }) == 6);
  }
out:
  check(log_ == 2);
  return 0;
}
