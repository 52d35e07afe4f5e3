// A loop that changes what it reads.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int flags[20000], i, at;
  for (i = 0; i < 20000; i++)
    flags[i] = __VERIFIER_nondet_int();
  for (i = 0; i < 20000; i++)
    if (flags[i] != 0)
      flags[i] = 1;
  for (at = 0; at < 20000; at++)
    if (flags[at] != 0 && flags[at] != 1)
      reach_error();
  return 0;
}
