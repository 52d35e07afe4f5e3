// Products of variables, and a division by one.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int width = __VERIFIER_nondet_int(), height = __VERIFIER_nondet_int();
  if (width < 1 || width > 100 || height < 1 || height > 100) return 0;
  int area = width * height;
  if (area < width || area > 10000 || area / width != height || area % height) reach_error();
  int i = 0, sum = 0;
  while (i < 5) {
    sum += i * i;
    i++;
  }
  if (sum != 30) reach_error();
  return 0;
}
