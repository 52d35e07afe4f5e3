// The cells that pass a test are gathered at places of their own.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[20000], good[20000], count = 0, i, at;
  for (i = 0; i < 20000; i++)
    if (cells[i] >= 0) {
      good[count] = cells[i];
      count++;
    }
  for (at = 0; at < count; at++)
    if (good[at] < 0)
      reach_error();
  return 0;
}
