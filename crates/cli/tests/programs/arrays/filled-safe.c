// Every cell holds what the loop wrote.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[50000], i, at;
  for (i = 0; i < 50000; i++)
    cells[i] = 2 * i + 1;
  for (at = 0; at < 50000; at++)
    if (cells[at] != 2 * at + 1)
      reach_error();
  return 0;
}
