// What 'select' and 'poll' tell about files that are ready.
extern void reach_error(void);
struct file { int number; short asked, found; };
extern int poll(struct file *, unsigned long, int);
struct set { unsigned long words[1024 / (8 * sizeof(long))]; };
struct time { long seconds, parts; };
extern int select(int, struct set *, struct set *, struct set *, struct time *);
int main(void) {
  struct file files[2] = { { 0, 1, 0 }, { 3, 1, 0 } };
  int n = poll(files, 2, 10);
  if (n < -1 || n > 2 || files[1].number != 3) reach_error();
  if (n == 0 && files[0].found) reach_error();
  if (n == 2 && !files[1].found) reach_error();
  struct set set = { { 5 } };
  struct time time = { 1, 0 };
  n = select(3, &set, 0, 0, &time);
  if (time.seconds > 1 || time.seconds < 0 || (time.seconds == 1 && time.parts)) reach_error();
  if (n > 2 || n < -1 || set.words[0] & ~5ul || set.words[1]) reach_error();
  if (n == 0 && set.words[0]) reach_error();
  if (n == 2 && set.words[0] != 5) reach_error();
  return 0;
}
