/* An error behind calls that are followed to some depth: its trace has values of variables that only those calls have. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct digits { int d[3]; };
int number(struct digits s, int k) {
  if (k == 0) return s.d[0] * 100 + s.d[1] * 10 + s.d[2];
  s.d[k - 1] = k;
  return number(s, k - 1);
}
int main(void) {
  struct digits s = {{7, 8, 9}};
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k > 3) return 0;
  if (number(s, k) == 129) reach_error();
  return 0;
}
