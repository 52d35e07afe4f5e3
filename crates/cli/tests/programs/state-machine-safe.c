extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* A protocol whose state is a number, as in servers generated from tables. */
int main(void) {
  int state = 8464, seen = 0;
  while (1) {
    switch (state) {
    case 8464: state = __VERIFIER_nondet_int() ? 8480 : 8496; seen = 0; break;
    case 8480: if (seen != 0) reach_error(); seen = 1; state = 8512; break;
    case 8496: seen = 2; state = 8528; break;
    case 8512: if (seen != 1) reach_error(); state = __VERIFIER_nondet_int() ? 8464 : 8528; break;
    case 8528: if (seen == 0) reach_error(); state = 8464; break;
    default: reach_error();
    }
  }
}
