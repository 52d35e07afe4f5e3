// Generic selection.
extern void reach_error(void);
#define kind(x) _Generic((x), int: 1, long: 2, char *: 3, float: 4, default: 5)
int main(void) {
  short s = 1;
  if (kind(1) != 1 || kind(1L) != 2 || kind("x") != 3 || kind(1.0f) != 4 || kind(1.0) != 5 || kind(s) != 5) reach_error();
  return 0;
}
