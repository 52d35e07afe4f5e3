extern void reach_error(void);
static void check(int ok) { if (!ok) reach_error(); }
/* A counter that goes up and down again: first it equals the index, then their sum stays the same. */
int main(void) {
  int i = 0, height = 0;
  for (;;) {
    if (i < 30) height++;
    else height--;
    if (height < 0) break;
    i++;
  }
  check(i == 60);
  return 0;
}
