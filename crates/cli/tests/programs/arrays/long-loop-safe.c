// No array, but a bound that is out of reach.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int i = 0, twice = 0;
  while (i < 100000000) {
    i++;
    twice += 2;
  }
  if (twice != 2 * i)
    reach_error();
  return 0;
}
