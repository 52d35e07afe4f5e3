// A weak comparison may fail although the value is there.
extern void reach_error(void);
int x, expected;
int main(void) {
  if (!__atomic_compare_exchange_n(&x, &expected, 8, 1, 5, 5)) reach_error();
  return 0;
}
