/* Pointers from outside may point anywhere, but a run that shows the error takes them from addresses at which the program
   has no object: what is read there can be anything. The loop in front has to be run through. */
extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
extern int __VERIFIER_nondet_int(void);

struct device { int state; int flags; struct device *next; };
struct device mine, *list[12];
int table[40];

int main(void) {
  int *p = table;
  for (int i = 0; i < 12; i++)
    list[i] = __VERIFIER_nondet_pointer();
  mine.next = __VERIFIER_nondet_pointer();
  mine.state = 1;
  p[__VERIFIER_nondet_int() & 31] = 2;
  struct device *d = &mine;
  if (__VERIFIER_nondet_int())
    d = mine.next;
  d->flags = 7;
  if (d->state == 5 && mine.state == 1)
    reach_error();
  return 0;
}
