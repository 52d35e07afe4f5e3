// The last cell is not looked at; its place is no place of the loop.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[7000], largest, i, at;
  for (i = 0; i < 7000; i++)
    cells[i] = i;
  largest = cells[0];
  for (i = 1; i < 6999; i++)
    if (cells[i] > largest)
      largest = cells[i];
  for (at = 0; at < 7000; at++)
    if (cells[at] > largest)
      reach_error();
  return 0;
}
