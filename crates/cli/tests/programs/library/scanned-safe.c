// What was not read keeps its value.
extern void reach_error(void);
extern int scanf(const char *, ...), sscanf(const char *, const char *, ...);
int main(void) {
  int x = 3;
  long y = 4;
  int n = scanf("%*d %d %% %ld", &x, &y);
  if (n < 1 && x != 3 || n < 2 && y != 4 || n < -1 || n > 2) reach_error();
  return 0;
}
