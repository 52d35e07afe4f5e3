// Values that are read with a format.
extern void reach_error(void);
extern int scanf(const char *, ...);
int main(void) {
  int x = 3;
  char c = 'q';
  int n = scanf("%d %c", &x, &c);
  if (n == 2 && x == 17 && c == 'z') reach_error();
  return 0;
}
