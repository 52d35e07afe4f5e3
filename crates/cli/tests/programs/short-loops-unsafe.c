/* Loops of a few rounds, one within the other, before an error that depends on what each round has read. */
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned char cells[3];
  int sum = 0, largest = 0;
  for (int i = 0; i < 3; i++)
    cells[i] = __VERIFIER_nondet_uchar();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      if (cells[j] > cells[i])
        largest++;
  for (int i = 0; i < 3; i++)
    sum += cells[i];
  if (largest == 3 && sum > 450)
    reach_error();
  return 0;
}
