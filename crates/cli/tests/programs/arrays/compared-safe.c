// Arrays that were found to be equal are equal.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int left[40000], right[40000], equal = 1, i, at;
  for (i = 0; i < 40000; i++)
    if (left[i] != right[i])
      equal = 0;
  if (equal)
    for (at = 0; at < 40000; at++)
      if (left[at] != right[at])
        reach_error();
  return 0;
}
