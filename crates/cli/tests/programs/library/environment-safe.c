// The environment is the third parameter of 'main': strings, and a null pointer behind them.
extern void reach_error(void);
static int begins(const char *text, const char *with) {
  while (*with) if (*text++ != *with++) return 0;
  return 1;
}
int main(int argc, char **argv, char **environment) {
  if (argc < 1 || argv[argc]) reach_error();
  if (environment[0] && begins(environment[0], "A=") && environment[0][1] != '=') reach_error();
  return 0;
}
