// The character behind a number that 'scanf' reads is none that belongs to it.
extern void reach_error(void);
extern int scanf(const char *, ...);
int main(void) {
  int n;
  char c;
  if (scanf("%d%c", &n, &c) == 2 && c >= '0' && c <= '9') reach_error();
  if (scanf("%x%c", (unsigned *)&n, &c) == 2 && c == 'a') reach_error();
  if (scanf("%*u%c", &c) == 1 && c == '7') reach_error();
  return 0;
}
