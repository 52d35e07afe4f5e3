// The lengths that parameters are declared with: those that are part of a type come first, the innermost one before the
// others; the outermost one of an array, which only has side effects, comes after all of them,
// and not at all in a definition of the old style.
extern void reach_error(void);

static int order, calls;

static int next(int digit) {
  order = order * 10 + digit;
  calls++;
  return calls + 1;
}

static int lengths(int n, int a[next(1)], int b[n][next(2)], int (*c)[next(3)][next(4)]) {
  return sizeof b[0] / sizeof(int) * 100 + sizeof *c / sizeof **c * 10 + sizeof **c / sizeof(int);
}

static int older(n, a, b)
  int n;
  int a[next(5)];
  int (*b)[next(6)];
{
  return sizeof *b / sizeof(int);
}

int main(void) {
  int sizes = lengths(1, 0, 0, 0);
  if (order != 2431 || sizes != 243) reach_error();
  order = calls = 0;
  if (older(3, 0, 0) != 2 || order != 6) reach_error();
  return 0;
}
