extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Fields of allocated records are variables once their addresses are known. */
struct inner { int mode; };
struct outer { int state; struct inner *in; };
int main(void) {
  struct outer *s = malloc(sizeof(struct outer));
  s->in = malloc(sizeof(struct inner));
  s->state = 1;
  s->in->mode = 10;
  while (__VERIFIER_nondet_int()) {
    if (s->state == 1) { s->state = 2; s->in->mode = 20; }
    else { s->state = 1; s->in->mode = 10; }
    if (s->in->mode != 10 * s->state) reach_error();
  }
  return 0;
}
