extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

typedef int four __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(16)));
typedef short two __attribute__((vector_size(4)));
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100) return 0;
  four a = {1, 0x203, 3, n};
  bytes b = (bytes)a;
  if (b[4] != 3 || b[5] != 2 || b[12] != n) reach_error();
  b[0] = 9;
  a = (four)b;
  if (a[0] != 9 || a[3] != n) reach_error();
  four mask = {3, 2, 1, 0};
  four c = __builtin_shuffle(a, mask);
  if (c[0] != n || c[3] != 9) reach_error();
  c = __builtin_shuffle(a, c - c + 5, (four){4, 0, 7, 1});
  if (c[0] != 5 || c[1] != 9 || c[3] != 0x203) reach_error();
  two t = (two)0x00020001;
  if (t[0] != 1 || t[1] != 2) reach_error();
  if ((int)t != 0x00020001) reach_error();
  return 0;
}
