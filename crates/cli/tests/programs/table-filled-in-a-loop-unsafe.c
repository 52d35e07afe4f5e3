extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
/* A loop with a constant number of rounds before the error. */
int main(void) {
  int table[6];
  int i = 0, state = 0;
  while (1) {
    table[i] = __VERIFIER_nondet_int();
    i = i + 1;
    if (i >= 6) break;
  }
  if (table[4] == 77) state = 1;
  if (state == 1 && table[3] == table[4] + 1) reach_error();
  return 0;
}
