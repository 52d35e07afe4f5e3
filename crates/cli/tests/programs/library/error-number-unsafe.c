// A function that fails says why.
extern void reach_error(void);
extern int *__errno_location(void);
extern long read(int, void *, unsigned long);
int main(void) {
  char c;
  *__errno_location() = 0;
  if (read(3, &c, 1) == -1 && *__errno_location() == 9) reach_error();
  return 0;
}
