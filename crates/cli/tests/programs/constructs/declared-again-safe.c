// A jump back over a declaration, in the same block: it is the same object, also where it is large or the function is recursive.
extern void reach_error(void);
static int f(int depth) {
  int n = 0, *p = 0;
again:;
  int x = n;
  if (p) {
    if (*p != 1 || p != &x) reach_error();
    return depth ? f(depth - 1) : 0;
  }
  p = &x;
  n = 1;
  goto again;
}
int main(void) {
  int n = 0;
  char *p = 0;
again:;
  char x[300];
  x[0] = (char)n;
  if (p) {
    if (p[0] != 1 || p != x) reach_error();
    return f(2);
  }
  p = x;
  n = 1;
  goto again;
}
