// What is read of an element that is not complete is stored.
extern void reach_error(void);
extern unsigned long fread(void *, unsigned long, unsigned long, void *);
int main(void) {
  char b[4] = {0, 0, 0, 0};
  if (fread(b, 4, 1, (void *)0) == 0 && b[0] != 0) reach_error();
  return 0;
}
