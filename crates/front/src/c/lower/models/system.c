int __bolide_from_status(void);
long __bolide_from_clock(void);
int __bolide_model___status(void) {
  int status = __bolide_from_status();
  if (status != 0 && status != -1) __builtin_unreachable();
  return status;
}
int __bolide_model_gettimeofday(void *to, void *zone) {
  if (to) {
    long part = __bolide_from_clock();
    if (part < 0 || part > 999999) __builtin_unreachable();
    ((long *)to)[0] = __bolide_from_clock();
    ((long *)to)[1] = part;
  }
  return 0;
}
int __bolide_model_clock_gettime(int which, void *to) {
  int status = __bolide_model___status();
  if (status == 0) {
    long part = __bolide_from_clock();
    if (part < 0 || part > 999999999) __builtin_unreachable();
    ((long *)to)[0] = __bolide_from_clock();
    ((long *)to)[1] = part;
  }
  return status;
}
int __bolide_model_nanosleep(const void *time, void *rest) {
  int status = __bolide_model___status();
  if (status != 0 && rest) {
    long part = __bolide_from_clock();
    if (part < 0 || part > 999999999) __builtin_unreachable();
    ((long *)rest)[0] = __bolide_from_clock();
    ((long *)rest)[1] = part;
  }
  return status;
}
int __bolide_from___calendar(void);
int __bolide_model___calendar(int low, int high) {
  int v = __bolide_from___calendar();
  if (v < low || v > high) __builtin_unreachable();
  return v;
}
void *__bolide_model_gmtime_r(const void *time, void *to) {
  int *part = to;
  if (__bolide_from___calendar() == 0) return (void *)0;
  part[0] = __bolide_model___calendar(0, 60);
  part[1] = __bolide_model___calendar(0, 59);
  part[2] = __bolide_model___calendar(0, 23);
  part[3] = __bolide_model___calendar(1, 31);
  part[4] = __bolide_model___calendar(0, 11);
  part[5] = __bolide_from___calendar();
  part[6] = __bolide_model___calendar(0, 6);
  part[7] = __bolide_model___calendar(0, 365);
  part[8] = 0;
  return to;
}
void *__bolide_model_localtime_r(const void *time, void *to) {
  int *part = to;
  if (!__bolide_model_gmtime_r(time, to)) return (void *)0;
  part[8] = __bolide_model___calendar(-1, 1);
  return to;
}
char *__bolide_model___date_line(void) {
  static char text[26];
  int i = 0;
  if (__bolide_from___calendar() == 0) return (char *)0;
  for (i = 0; i < 24; i++) {
    text[i] = (char)__bolide_from___calendar();
    if (!text[i]) __builtin_unreachable();
  }
  text[24] = '\n';
  text[25] = 0;
  return text;
}
char *__bolide_model_asctime(const void *date) {
  __bolide_reads(date, 36);
  return __bolide_model___date_line();
}
char *__bolide_model_ctime(const void *time) {
  __bolide_reads(time, sizeof(long));
  return __bolide_model___date_line();
}
int __bolide_model_atexit(void (*f)(void)) {
  static void (*all[32])(void);
  static int count;
  if (f) {
    if (count == 32) return 1;
    all[count] = f;
    count++;
    return 0;
  }
  while (count > 0) {
    count--;
    all[count]();
  }
  return 0;
}
int __bolide_from_pipe(void);
int __bolide_model_pipe(int *ends) {
  int status = __bolide_model___status();
  if (status == 0) {
    int a = __bolide_from_pipe(), b = __bolide_from_pipe();
    if (a < 0 || b < 0 || a == b) __builtin_unreachable();
    ends[0] = a;
    ends[1] = b;
  }
  return status;
}
int __bolide_model_rand_r(unsigned *seed) {
  int v = __bolide_from_rand();
  if (v < 0) __builtin_unreachable();
  *seed = (unsigned)__bolide_from_rand();
  return v;
}
double __bolide_from_drand48(void);
double __bolide_model_drand48(void) {
  double v = __bolide_from_drand48();
  if (!(v >= 0.0 && v < 1.0)) __builtin_unreachable();
  return v;
}
int __bolide_model_getc_unlocked(void *f) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
int __bolide_model_fgetc_unlocked(void *f) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
int __bolide_model_getchar_unlocked(void) {
  int c = __bolide_from_getchar();
  if (c < -1 || c > 255) __builtin_unreachable();
  return c;
}
long __bolide_model_pread(int f, void *to, unsigned long n, long at) {
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || (count > 0 && (unsigned long)count > n)) __builtin_unreachable();
  for (i = 0; i < count; i++) ((char *)to)[i] = __bolide_from_read();
  return count;
}
long __bolide_model_getrandom(void *to, unsigned long n, unsigned flags) {
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || (count > 0 && (unsigned long)count > n)) __builtin_unreachable();
  for (i = 0; i < count; i++) ((char *)to)[i] = __bolide_from_read();
  return count;
}
char *__bolide_model_getcwd(char *to, unsigned long n) {
  unsigned long i = 0, count = 0;
  if (__bolide_model___status() != 0 || n == 1 || (n == 0 && to)) return (char *)0;
  count = (unsigned long)__bolide_from_read_count();
  if (count < 1 || count > 1073741824) __builtin_unreachable();
  if (n == 0) n = count + 1;
  if (count >= n) __builtin_unreachable();
  if (!to) to = __builtin_malloc(n);
  if (!to) return to;
  to[0] = '/';
  for (i = 1; i < count; i++) {
    char c = __bolide_from_read();
    if (!c) __builtin_unreachable();
    to[i] = c;
  }
  to[count] = 0;
  return to;
}
long __bolide_model_readlink(const char *path, char *to, unsigned long n) {
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || (count > 0 && (unsigned long)count > n)) __builtin_unreachable();
  for (i = 0; i < count; i++) {
    char c = __bolide_from_read();
    if (!c) __builtin_unreachable();
    to[i] = c;
  }
  return count;
}
long __bolide_model_getdelim(void *to, void *room, int end, void *f) {
  char **line = to;
  unsigned long *size = room;
  long i = 0, count = __bolide_from_read_count();
  if (count < -1 || count == 0 || count > 1073741824) __builtin_unreachable();
  if (!*line || (count > 0 && *size <= (unsigned long)count)) {
    long more = __bolide_from_read_count();
    if (more <= count || more < 2 || more > 1073741825) __builtin_unreachable();
    __builtin_free(*line);
    *line = __builtin_malloc((unsigned long)more);
    if (!*line) { *size = 0; return -1; }
    *size = (unsigned long)more;
  }
  if (count < 0) return -1;
  for (i = 0; i < count; i++) {
    char c = __bolide_from_read();
    if (i + 1 < count && (unsigned char)c == (unsigned char)end) __builtin_unreachable();
    (*line)[i] = c;
  }
  (*line)[count] = 0;
  return count;
}
long __bolide_model_getline(void *to, void *room, void *f) {
  return __bolide_model_getdelim(to, room, 10, f);
}
void *__bolide_model_memalign(unsigned long alignment, unsigned long n) {
  while (alignment & (alignment - 1)) alignment += alignment & (0 - alignment);
  if (alignment > 16) {
    unsigned long behind = (unsigned long)__builtin_alloca(1) + 32;
    __builtin_alloca((0 - behind) % alignment);
  }
  return __builtin_malloc(n);
}
void *__bolide_model_aligned_alloc(unsigned long alignment, unsigned long n) {
  return __bolide_model_memalign(alignment, n);
}
int __bolide_model_posix_memalign(void **to, unsigned long alignment, unsigned long n) {
  void *p = (void *)0;
  if (alignment == 0 || alignment % sizeof(void *) || (alignment & (alignment - 1))) return 22;
  p = __bolide_model_memalign(alignment, n);
  if (!p) return 12;
  *to = p;
  return 0;
}
unsigned long __bolide_from___date_text(void);
unsigned long __bolide_model_strftime(char *to, unsigned long n, const char *format, const void *date) {
  unsigned long i = 0, count = __bolide_from___date_text();
  __bolide_reads(format, __bolide_model_strlen(format) + 1);
  __bolide_reads(date, 36);
  if (n == 0) return 0;
  if (count >= n) __builtin_unreachable();
  for (i = 0; i < count; i++) {
    to[i] = (char)__bolide_from___date_text();
    if (!to[i]) __builtin_unreachable();
  }
  to[count] = (char)(count ? 0 : __bolide_from___date_text());
  return count;
}
int __bolide_from_ready(void);
unsigned long __bolide_from_ready_files(void);
int __bolide_model_poll(void *files, unsigned long n, int time) {
  struct { int file; short asked, found; } *list = files;
  unsigned long i = 0;
  int count = 0;
  if (__bolide_model___status() != 0) return -1;
  for (i = 0; i < n; i++) {
    short found = (short)__bolide_from_ready();
    if ((found & ~(list[i].asked | 56)) || (found && list[i].file < 0)) __builtin_unreachable();
    list[i].found = found;
    if (found) count++;
  }
  return count;
}
int __bolide_model___select_from(void *files, int n) {
  unsigned long *words = files;
  int i = 0, count = 0;
  if (!files) return 0;
  for (i = 0; i < n; i += 8 * (int)sizeof(long)) {
    unsigned long *word = words + i / (8 * (int)sizeof(long));
    *word &= __bolide_from_ready_files();
    count += __bolide_model___builtin_popcountl(*word);
  }
  return count;
}
int __bolide_model_select(int n, void *to_read, void *to_write, void *others, void *time) {
  long *rest = time;
  int count = 0;
  if (n < 0 || n > 1024 || (rest && (rest[0] < 0 || rest[1] < 0))) return -1;
  if (rest) {
    long seconds = __bolide_from_clock(), part = __bolide_from_clock();
    if (seconds < 0 || seconds > rest[0] || part < 0 || part > 999999) __builtin_unreachable();
    if (seconds == rest[0] && part > rest[1]) __builtin_unreachable();
    rest[0] = seconds;
    rest[1] = part;
  }
  if (__bolide_model___status() != 0) return -1;
  count += __bolide_model___select_from(to_read, n);
  count += __bolide_model___select_from(to_write, n);
  count += __bolide_model___select_from(others, n);
  return count;
}
