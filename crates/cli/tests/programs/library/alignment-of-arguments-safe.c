// Further arguments whose types are aligned to 16 bytes.
extern void reach_error(void);
struct a { char c; } __attribute__((aligned(16)));
int sum(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int first = __builtin_va_arg(list, int);
  struct a a = __builtin_va_arg(list, struct a);
  int second = __builtin_va_arg(list, int);
  struct a b = __builtin_va_arg(list, struct a);
  int third = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return first + 10 * a.c + 100 * second + 1000 * third + 10000 * b.c;
}
int main(void) {
  struct a a = {2}, b = {5};
  if (sum(5, 1, a, 3, b, 4) != 54321) reach_error();
  return 0;
}
