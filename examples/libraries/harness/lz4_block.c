/* The decoder of blocks writes only where it may, whatever the block says. */
#include "lz4.h"

extern char nondet_char(void);
extern void reach_error(void);

int main(void) {
  char block[6], text[8];
  for (int i = 0; i < 6; i++)
    block[i] = nondet_char();
  int n = LZ4_decompress_safe(block, text, 6, 8);
  if (n > 8)
    reach_error();
  return 0;
}
