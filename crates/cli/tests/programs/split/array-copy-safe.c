extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static void check(int ok) { if (!ok) reach_error(); }
/* Copying a part of an array to the start of another: the two indices keep their distance. */
int main(void) {
  int from[64], to[64];
  int start = __VERIFIER_nondet_int(), end = __VERIFIER_nondet_int();
  if (start < 0 || end < start || end > 64) return 0;
  int i = start, j = 0;
  while (i < end) {
    check(0 <= j && j <= i && i < 64);
    to[j] = from[i];
    i++;
    j++;
  }
  check(i == end && j <= end);
  return 0;
}
