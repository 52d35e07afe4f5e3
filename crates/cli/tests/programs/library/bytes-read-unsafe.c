// Bytes from outside.
extern void reach_error(void);
extern long read(int, void *, unsigned long);
int main(void) {
  char b[8] = {0};
  if (read(0, b, 4) == 4 && b[0] == 1 && b[3] == 2) reach_error();
  return 0;
}
