// Memory with more alignment than other memory has.
extern void reach_error(void);
extern int posix_memalign(void **, unsigned long, unsigned long);
extern void *aligned_alloc(unsigned long, unsigned long);
extern void *memalign(unsigned long, unsigned long);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  void *p = 0;
  char *a = malloc(5);
  if (posix_memalign(&p, 24, 10) != 22 || posix_memalign(&p, 2, 10) != 22 || p) reach_error();
  if (posix_memalign(&p, 256, 100)) return 0;
  char *b = aligned_alloc(64, 128), *c = memalign(8, 3);
  if (!a || !b || !c) return 0;
  if ((unsigned long)p % 256 || (unsigned long)b % 64 || (unsigned long)c % 8) reach_error();
  for (int i = 0; i < 100; i++) ((char *)p)[i] = i;
  b[127] = c[2] = 1;
  if (((char *)p)[99] != 99 || (char *)p == b) reach_error();
  free(p);
  free(a);
  free(b);
  free(c);
  return 0;
}
