// A statement is a block, and so are its parts: what their expressions declare ends with them.
extern void reach_error(void);
struct t { char c; };
enum { A = 1 };
int main(void) {
  if (sizeof(struct t { int a[4]; }) != 16) reach_error();
  if (sizeof(struct t) != 1) reach_error();
  while (sizeof(enum { A = 5 }) && A != 5) reach_error();
  if (A != 1) reach_error();
  if (A == 1) (void)sizeof(enum { A = 7 });
  if (A != 1) reach_error();
  return 0;
}
