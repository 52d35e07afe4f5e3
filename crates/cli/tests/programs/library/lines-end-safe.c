// A line that is read ends behind its line feed, and is not empty.
struct file;
extern void reach_error(void);
extern char *fgets(char *, int, struct file *);
int main(void) {
  char b[4];
  struct file *input = 0;
  if (!fgets(b, 4, input)) return 0;
  if (b[0] == '\n' && b[1] != 0) reach_error();
  if (b[0] != 0 && b[1] == '\n' && b[2] != 0) reach_error();
  return 0;
}
