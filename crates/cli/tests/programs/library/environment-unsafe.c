// A variable of the environment may have any name, and there may be none at all.
extern void reach_error(void);
int main(int argc, char **argv, char *environment[]) {
  if (environment[0] && environment[1] && environment[1][0] == 'Q' && !environment[2]) reach_error();
  return 0;
}
