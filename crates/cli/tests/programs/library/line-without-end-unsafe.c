// The last line of a file may lack its line feed.
struct file;
extern void reach_error(void);
extern char *fgets(char *, int, struct file *);
int main(void) {
  char b[4];
  struct file *input = 0;
  if (fgets(b, 4, input) && b[0] == 'a' && b[1] == 0) reach_error();
  return 0;
}
