// The copy is overwritten; the contents come from outside.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int from[60000], other[60000], to[60000], i;
  for (i = 0; i < 60000; i++) {
    from[i] = __VERIFIER_nondet_int();
    other[i] = __VERIFIER_nondet_int();
  }
  for (i = 0; i < 60000; i++)
    to[i] = from[i];
  for (i = 0; i < 60000; i++)
    to[i] = other[i];
  for (i = 0; i < 60000; i++)
    if (to[i] != from[i])
      reach_error();
  return 0;
}
