// Sorting may change the order of equal elements.
extern void reach_error(void);
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
struct entry { char key, place; };
static int compare(const void *a, const void *b) { return ((const struct entry *)a)->key - ((const struct entry *)b)->key; }
int main(void) {
  struct entry a[2] = {{1, 1}, {1, 2}};
  qsort(a, 2, sizeof(struct entry), compare);
  if (a[0].place == 2) reach_error();
  return 0;
}
