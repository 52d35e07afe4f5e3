// Functions of the program that are called like functions of compilers.
extern void reach_error(void);
extern int expect(int);
extern void trap(int);
int main(void) {
  trap(3);
  if (expect(3) != 3) reach_error();
  return 0;
}
