// Functions of the C library, as macros of its headers call them, and through a pointer.
extern void reach_error(void);
extern int *__errno_location(void);
extern const unsigned short **__ctype_b_loc(void);
extern int strcmp(const char *, const char *);
extern char *strrchr(const char *, int), *strdup(const char *);
extern int atoi(const char *), rand(void), getchar(void), printf(const char *, ...);
extern unsigned long strspn(const char *, const char *);
int main(void) {
  *__errno_location() = 5;
  if (*__errno_location() != 5) reach_error();
  if (!((*__ctype_b_loc())['x'] & 1024) || (*__ctype_b_loc())['1'] & 1024) reach_error();
  int (*compare)(const char *, const char *) = strcmp;
  if (compare("a", "a") != 0) reach_error();
  if (strrchr("a/b", '/')[1] != 'b' || atoi("-4x") != -4 || strspn("aab", "a") != 2) reach_error();
  char *copy = strdup("xy");
  if (copy[1] != 'y' || copy[2]) reach_error();
  int c = getchar();
  if (c < -1 || c > 255 || rand() < 0) reach_error();
  printf("%d\n", c);
  return 0;
}
