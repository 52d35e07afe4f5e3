// Memory from the heap, of a length that is not known.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  int *cells;
  if (n < 1 || n > 5000)
    return 0;
  cells = malloc(n * sizeof(int));
  for (i = 0; i < n; i++)
    cells[i] = 7;
  for (i = 0; i < n; i++)
    if (cells[i] != 7)
      reach_error();
  return 0;
}
