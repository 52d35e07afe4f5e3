extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int ready;
static void prepare(void) __attribute__((constructor));
static void prepare(void) { ready = 1; }
int main(int argc, char **argv) {
  if (!ready) reach_error();
  return 0;
}
