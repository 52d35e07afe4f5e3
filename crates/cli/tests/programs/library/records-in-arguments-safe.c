// A call among the arguments of a call of the same function, and one that changes what was passed before.
extern void reach_error(void);
struct pair { int a, b; };
static int f(struct pair p, int n) { return p.a * 10 + n; }
static struct pair global = {5, 6};
static int change(void) { return global.a = 9; }
static struct pair swap(struct pair p, int n) {
  if (n == 0) return p;
  struct pair q = swap((struct pair){p.b, p.a}, n - 1);
  q.a += p.a;
  return q;
}
int main(void) {
  struct pair p = {1, 2}, q = {3, 4};
  if (f(p, f(q, 1)) != 41) reach_error();
  int both = f(global, change());
  if (both != 59 && both != 99) reach_error();
  if (swap((struct pair){7, 2}, 2).a != 16) reach_error();
  return 0;
}
