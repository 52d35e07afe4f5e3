// The same, starting from the first cell: a place that is a numeral.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[70000], largest, i, at;
  largest = cells[0];
  for (i = 1; i < 70000; i++)
    if (cells[i] > largest)
      largest = cells[i];
  for (at = 0; at < 70000; at++)
    if (cells[at] > largest)
      reach_error();
  return 0;
}
