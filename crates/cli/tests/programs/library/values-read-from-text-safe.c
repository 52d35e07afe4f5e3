// `sscanf` reads what the text says.
extern void reach_error(void);
#define check(c) if (!(c)) reach_error()
int sscanf(const char *, const char *, ...);
int main(void) {
  int a = -1, b = -1, n = -1;
  char s[9] = "zzzzzzzz", c = 'q';
  unsigned u = 7;
  short h = 7;
  double d = 0;
  check(sscanf("12 -34", "%d%d", &a, &b) == 2 && a == 12 && b == -34);
  check(sscanf("123456", "%3d%d", &a, &b) == 2 && a == 123 && b == 456);
  check(sscanf("x", "%d", &a) == 0 && a == 123);
  check(sscanf("", "%d", &a) == -1 && sscanf("  ", "%d", &a) == -1 && sscanf("7", "%*d%d", &a) == -1);
  check(sscanf("0x1f 017", "%x %i", &u, &a) == 2 && u == 31 && a == 15);
  check(sscanf("k=5;", "k=%d;%n", &a, &n) == 1 && a == 5 && n == 4);
  check(sscanf("j=5", "k=%d", &a) == 0);
  check(sscanf(" abc def", "%s%c", s, &c) == 2 && s[2] == 'c' && s[3] == 0 && s[4] == 'z' && c == ' ');
  check(sscanf("ab-1", "%[a-z]%hd", s, &h) == 2 && s[1] == 'b' && s[2] == 0 && h == -1);
  check(sscanf("2.25e1,", "%lf,", &d) == 1 && d == 22.5);
  return 0;
}
