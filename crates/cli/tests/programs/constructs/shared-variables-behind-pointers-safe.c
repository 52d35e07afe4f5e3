extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

/* The operations of compilers on shared variables whose values are behind pointers. */
int main(void) {
  int v = __VERIFIER_nondet_int(), old, new = 7, expected = 8;
  char flag = 0;
  if (v != 5) return 0;
  __atomic_load(&v, &old, 5);
  if (old != 5) reach_error();
  __atomic_store(&v, &new, 5);
  if (v != 7) reach_error();
  new = 9;
  __atomic_exchange(&v, &new, &old, 5);
  if (v != 9 || old != 7) reach_error();
  if (__atomic_compare_exchange(&v, &expected, &new, 0, 5, 5) || expected != 9) reach_error();
  new = 3;
  if (!__atomic_compare_exchange(&v, &expected, &new, 0, 5, 5) || v != 3) reach_error();
  if (__atomic_test_and_set(&flag, 5) || !__atomic_test_and_set(&flag, 5)) reach_error();
  __atomic_clear(&flag, 5);
  if (flag) reach_error();
  return 0;
}
