// Two places, one of which follows from the other.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[30000], back[30000], i, at;
  for (i = 0; i < 30000; i++)
    back[i] = cells[29999 - i];
  for (at = 0; at < 30000; at++)
    if (cells[at] != back[29999 - at])
      reach_error();
  return 0;
}
