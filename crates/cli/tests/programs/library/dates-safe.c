// The parts of a date have their ranges.
struct tm { int sec, min, hour, mday, mon, year, wday, yday, isdst; long gmtoff; const char *zone; };
extern void reach_error(void);
extern struct tm *gmtime_r(const long *, struct tm *);
extern struct tm *localtime_r(const long *, struct tm *);
int main(void) {
  long now = 0;
  struct tm t = {0};
  if (gmtime_r(&now, &t) && (t.sec < 0 || t.sec > 60 || t.mon > 11 || t.mday == 0)) reach_error();
  if (localtime_r(&now, &t) != &t && localtime_r(&now, &t) == &t && t.hour > 23) reach_error();
  return 0;
}
