// No function of the library resets the number of an error, and functions that cannot fail leave it alone.
extern void reach_error(void);
extern int *__errno_location(void);
extern void *fopen(const char *, const char *);
extern unsigned long strlen(const char *);
int main(void) {
  *__errno_location() = 5;
  if (strlen("abc") != 3 || *__errno_location() != 5) reach_error();
  fopen("name", "r");
  if (*__errno_location() == 0) reach_error();
  return 0;
}
