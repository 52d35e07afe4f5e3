// The sign of a comparison, and of equal texts zero.
extern void reach_error(void);
extern int strcmp(const char *, const char *), strncmp(const char *, const char *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long), isdigit(int);
int main(void) {
  if (strcmp("c", "a") <= 0 || strcmp("a", "c") >= 0 || strcmp("a", "a") != 0) reach_error();
  if (strncmp("ax", "ay", 1) != 0 || memcmp("ax", "ay", 2) >= 0) reach_error();
  if (!isdigit('7') || isdigit('x')) reach_error();
  return 0;
}
