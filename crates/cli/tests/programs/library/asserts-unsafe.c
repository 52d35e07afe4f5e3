// What assert calls in another library.
extern void __assert_func(const char *, int, const char *, const char *);
int main(void) {
  int x = 1;
  x == 2 ? (void)0 : __assert_func("asserts-unsafe.c", 5, "main", "x == 2");
  return 0;
}
