// One of two files is ready.
extern void reach_error(void);
struct file { int number; short asked, found; };
extern int poll(struct file *, unsigned long, int);
int main(void) {
  struct file files[2] = { { 0, 1, 0 }, { 3, 1, 0 } };
  if (poll(files, 2, 10) == 1 && files[1].found == 16) reach_error();
  return 0;
}
