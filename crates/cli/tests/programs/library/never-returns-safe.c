// Functions that never return, by name and by declaration.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern _Noreturn void die(const char *);
extern void stop(void) __attribute__((noreturn));
__attribute__((__noreturn__)) extern void leave(void);
extern void quick_exit(int), errx(int, const char *, ...);
extern int raise(int);
int main(void) {
  switch (__VERIFIER_nondet_int()) {
  case 0: die("x"); break;
  case 1: stop(); break;
  case 2: leave(); break;
  case 3: quick_exit(0); break;
  case 4: errx(1, "x"); break;
  case 5: raise(9); break;
  default: return 0;
  }
  reach_error();
}
