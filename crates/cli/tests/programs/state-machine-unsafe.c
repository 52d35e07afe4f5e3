extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* The third state is reached twice only after two rounds. */
int main(void) {
  int state = 1, count = 0;
  while (1) {
    switch (state) {
    case 1: state = 2; break;
    case 2: state = __VERIFIER_nondet_int() == 5 ? 3 : 1; break;
    case 3: if (count) reach_error(); count = 1; state = 1; break;
    }
  }
}
