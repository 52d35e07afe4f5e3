// The value of the statement in the expression is that of `printf`, and nobody looks at it.
extern void reach_error(void);
int printf(const char *, ...);
int main(void) {
  int x = 3;
  ({ printf("%d\n", x); });
  (void)printf("%d\n", x);
  x ? printf("a") : printf("b");
  if (x != 3) reach_error();
  return 0;
}
