// Two places of one array.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[30000], i, at;
  for (i = 0; i < 15000; i++)
    cells[i] = cells[29999 - i];
  for (at = 0; at < 15000; at++)
    if (cells[at] != cells[29999 - at])
      reach_error();
  return 0;
}
