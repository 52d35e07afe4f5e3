// Functions that classify characters return any number but zero for yes.
extern void reach_error(void);
extern int isalpha(int);
int main(void) {
  if (isalpha('a') != 1) reach_error();
  return 0;
}
