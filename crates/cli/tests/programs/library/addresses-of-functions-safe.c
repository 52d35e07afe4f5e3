// Functions that are no calls here have addresses all the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
void *malloc(unsigned long);
void free(void *);
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
double floor(double);
void exit(int);
struct memory { void *(*get)(unsigned long); void (*put)(void *); };
static struct memory memory = {malloc, free};
static double apply(double (*f)(double), double x) { return f(x); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 9) return 0;
  int *p = memory.get(2 * sizeof(int)), other = 0;
  p[1] = n;
  void *(*copy)(void *, const void *, unsigned long) = n > 4 ? memcpy : memcpy;
  copy(&other, p + 1, sizeof other);
  check(other == n);
  memory.put(p);
  void *(*fill)(void *, int, unsigned long) = memset;
  fill(&other, 0, sizeof other);
  check(other == 0 && memory.put == free);
  check(apply(floor, 2.5) == 2);
  void (*leave)(int) = exit;
  leave(0);
  reach_error();
}
