extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int low = 0, high = n, mid = 0;
  if (n < 1 || n > 100000) return 0;
  while (low < high) {
    mid = low + (high - low) / 2;
    if (__VERIFIER_nondet_int()) low = mid + 1; else high = mid;
    if (mid < 0 || mid >= n) reach_error();
  }
  int state = 0, count = low;
  while (count > 0) {
    if (state == 0 && __VERIFIER_nondet_int()) state = 1;
    else if (state == 1) state = 2;
    else if (state == 3) reach_error();
    count--;
  }
  if (count < 0) reach_error();
  return 0;
}
