extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* What malloc returns may hold anything. */
struct s { int a; int b; };
int main(void) {
  struct s *x = malloc(sizeof(struct s));
  if (x->b == -7) reach_error();
  return 0;
}
