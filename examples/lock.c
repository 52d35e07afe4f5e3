/* A lock is taken in every round and must be free at its beginning; one branch forgets to release it. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int locked = 0, rounds = 0;
  while (rounds < 10) {
    int request = __VERIFIER_nondet_int();
    if (locked) reach_error();
    locked = 1;
    rounds++;
    if (request != 7) locked = 0;
  }
  return 0;
}
