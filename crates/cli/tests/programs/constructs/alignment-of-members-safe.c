extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct __attribute__((packed)) packed { char c; int i; };
struct asked { char c; int i __attribute__((aligned(32))); };
int main(void) {
  struct packed p;
  struct asked a;
  int n = __VERIFIER_nondet_int();
  if (n == 0 && __alignof__(p.i) != 1) reach_error();
  if (n == 1 && __alignof__(a.i) != 32) reach_error();
  if (n == 2 && __alignof__(a.c) != 1) reach_error();
  return 0;
}
