// Lists of arguments: handed on, copied, read twice, of several types, in recursive functions and through pointers.
typedef __builtin_va_list va_list;
extern void reach_error(void);
struct pair { int first; long second; };
static int rest(int n, va_list list) {
  int sum = 0;
  while (n-- > 0) sum += __builtin_va_arg(list, int);
  return sum;
}
static int sum(int n, ...) {
  va_list list, again;
  __builtin_va_start(list, n);
  __builtin_va_copy(again, list);
  int all = rest(n, list), first = n ? __builtin_va_arg(again, int) : 0;
  __builtin_va_end(list);
  return all + 100 * first;
}
static long mixed(int which, ...) {
  va_list list;
  __builtin_va_start(list, which);
  long a = __builtin_va_arg(list, int), b = *__builtin_va_arg(list, int *);
  struct pair p = __builtin_va_arg(list, struct pair);
  return which ? a + b : p.second + __builtin_va_arg(list, int);
}
static int depth(int n, ...) {
  va_list list;
  __builtin_va_start(list, n);
  int k = __builtin_va_arg(list, int);
  if (n == 0) return k;
  int r = depth(n - 1, k + 1);
  if (k != 3 - n) reach_error();
  return r;
}
int main(void) {
  int seven = 7;
  char four = 4;
  struct pair p = {1, 1000};
  int (*pointer)(int, ...) = sum;
  if (sum(3, 1, 2, 3) != 106 || sum(0) != 0 || pointer(2, 5, 6) != 511) reach_error();
  if (mixed(1, 1, &seven, p, four) != 8 || mixed(0, 1, &seven, p, four) != 1004) reach_error();
  if (depth(3, 0) != 3) reach_error();
  return 0;
}
