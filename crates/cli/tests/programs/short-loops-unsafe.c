/* Loops of a few rounds, one within the other, before an error that depends on what each round has read. */
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned char cells[6];
  int sum = 0, largest = 0;
  for (int i = 0; i < 6; i++)
    cells[i] = __VERIFIER_nondet_uchar();
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      if (cells[j] > cells[i])
        largest++;
  for (int i = 0; i < 6; i++)
    sum += cells[i];
  if (largest == 15 && sum > 900)
    reach_error();
  return 0;
}
