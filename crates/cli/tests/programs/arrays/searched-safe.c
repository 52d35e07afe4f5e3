// Before the place that was found nothing is equal to what was sought.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[80000], sought = __VERIFIER_nondet_int(), i = 0, at;
  while (i < 80000 && cells[i] != sought)
    i++;
  for (at = 0; at < i; at++)
    if (cells[at] == sought)
      reach_error();
  return 0;
}
