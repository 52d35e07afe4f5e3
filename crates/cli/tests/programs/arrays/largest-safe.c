// No cell is larger than the largest one.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[70000], largest = 0, i, at;
  for (i = 0; i < 70000; i++)
    if (cells[i] > largest)
      largest = cells[i];
  for (at = 0; at < 70000; at++)
    if (cells[at] > largest)
      reach_error();
  return 0;
}
