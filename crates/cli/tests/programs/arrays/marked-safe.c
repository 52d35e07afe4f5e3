// A mark at a place that is chosen once stops the search.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int cells[90000], mark = __VERIFIER_nondet_int(), place = __VERIFIER_nondet_int(), i = 0;
  if (place < 0 || place >= 90000)
    return 0;
  cells[place] = mark;
  while (cells[i] != mark)
    i++;
  if (i > place)
    reach_error();
  return 0;
}
