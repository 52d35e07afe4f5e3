/* Hashing in two parts is hashing at once. */
#include "xxhash.h"

extern unsigned nondet_unsigned(void);
extern char nondet_char(void);
extern void reach_error(void);

int main(void) {
  char text[8];
  for (int i = 0; i < 8; i++)
    text[i] = nondet_char();
  unsigned cut = nondet_unsigned();
  if (cut > 8)
    return 0;
  XXH32_state_t state;
  XXH32_reset(&state, 7);
  XXH32_update(&state, text, cut);
  XXH32_update(&state, text + cut, 8 - cut);
  if (XXH32_digest(&state) != XXH32(text, 8, 7))
    reach_error();
  return 0;
}
