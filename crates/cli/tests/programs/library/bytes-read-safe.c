// Bytes that were not read keep their values.
extern void reach_error(void);
extern long read(int, void *, unsigned long);
int main(void) {
  char b[8] = {0};
  long n = read(0, b, 4);
  if (n > 4 || b[5] != 0 || n < 1 && b[0] != 0) reach_error();
  return 0;
}
