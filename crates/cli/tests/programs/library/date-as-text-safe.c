// A date as a text fits into its room.
struct tm { int sec, min, hour, mday, mon, year, wday, yday, isdst; long gmtoff; const char *zone; };
extern void reach_error(void);
extern unsigned long strftime(char *, unsigned long, const char *, const struct tm *);
int main(void) {
  struct tm date = { 1, 2, 3, 4, 5, 106 };
  char text[6] = "?", behind = 7;
  unsigned long n = strftime(text, sizeof text - 1, "%Y", &date);
  if (n >= sizeof text - 1 || behind != 7 || text[5]) reach_error();
  if (n && text[n]) reach_error();
  return 0;
}
