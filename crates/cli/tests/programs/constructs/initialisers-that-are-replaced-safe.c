// What a record was set to is not evaluated if a part of it is set later; static records keep the rest.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
struct inner { int a, b; };
struct outer { struct inner x; int y[3]; };
static int calls;
static struct inner make(int a) { calls++; return (struct inner){a, 8}; }
int main(void) {
  int n = __VERIFIER_nondet_int(), c = 0;
  struct inner v = {n, n};
  struct outer o = {.x = make(n), .x.b = 5, .y[1] = n};
  check(calls == 0 && o.x.a == 0 && o.x.b == 5 && o.y[1] == n);
  struct outer p = {v, .x.a = 6};
  check(p.x.a == 6 && p.x.b == 0);
  struct outer q = {.x.b = 5, .x = v};
  check(q.x.a == n && q.x.b == n);
  struct outer r = {.x = {3, 4}, .x.b = 5};
  check(r.x.a == 3 && r.x.b == 5);
  static struct outer s = {.x = (struct inner){3, 4}, .x.b = 5};
  check(s.x.a == 3 && s.x.b == 5);
  int a[2] = {[0] = c++, [0] = c++};
  check(a[0] == 0 && c == 1);
  struct inner t[2] = {[0 ... 1] = make(n), [1].b = 2};
  check(calls == 1 && t[0].a == n && t[1].a == 0 && t[1].b == 2);
  return 0;
}
