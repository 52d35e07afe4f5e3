extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
/* Memory that is accessed in bytes and in words: what was written as a word is read as one. */
int main(void) {
  unsigned *words = malloc(8);
  unsigned char *bytes = (unsigned char *)words;
  unsigned x = (unsigned)__VERIFIER_nondet_int();
  bytes[5] = 7;
  words[0] = x;
  if (__VERIFIER_nondet_int()) bytes[4] = 1;
  if (words[0] != x) reach_error();
  if (bytes[5] != 7) reach_error();
  return 0;
}
