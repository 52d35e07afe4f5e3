// A number may end before its digits do, where its width or its base says so.
extern void reach_error(void);
extern int scanf(const char *, ...);
int main(void) {
  int n;
  char c, d;
  if (scanf("%2d%c", &n, &c) == 2 && c == '5' && scanf("%i%c", &n, &d) == 2 && d == '8') reach_error();
  return 0;
}
