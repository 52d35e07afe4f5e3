// Operations on shared variables, in a program that shares them with nobody.
extern void reach_error(void);
int x, expected;
unsigned char small = 255;
int main(void) {
  if (__sync_fetch_and_add(&x, 3) != 0 || x != 3) reach_error();
  if (__sync_sub_and_fetch(&x, 1) != 2 || x != 2) reach_error();
  if (!__sync_bool_compare_and_swap(&x, 2, 7) || x != 7) reach_error();
  if (__sync_val_compare_and_swap(&x, 2, 9) != 7 || x != 7) reach_error();
  if (__sync_lock_test_and_set(&x, 1) != 7 || x != 1) reach_error();
  __sync_lock_release(&x);
  __sync_synchronize();
  if (x != 0) reach_error();
  __atomic_store_n(&x, 6, 5);
  if (__atomic_load_n(&x, 5) != 6 || __atomic_exchange_n(&x, 5, 5) != 6) reach_error();
  if (__atomic_fetch_and(&x, 4, 5) != 5 || __atomic_or_fetch(&x, 3, 5) != 7) reach_error();
  if (__atomic_compare_exchange_n(&x, &expected, 8, 0, 5, 5) || expected != 7 || x != 7) reach_error();
  if (!__atomic_compare_exchange_n(&x, &expected, 8, 0, 5, 5) || expected != 7 || x != 8) reach_error();
  if (__atomic_add_fetch(&small, 2, 5) != 1 || small != 1) reach_error();
  if (__sync_nand_and_fetch(&small, 3) != 254) reach_error();
  return 0;
}
