// Numbers that are read from text, and where they end.
extern void reach_error(void);
extern long strtol(const char *, char **, int);
int main(void) {
  char *end = 0;
  const char *text = " -1x";
  if (strtol(text, &end, 10) != -1 || end != text + 3) reach_error();
  return 0;
}
