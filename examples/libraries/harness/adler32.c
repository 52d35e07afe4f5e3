/* Both halves of an Adler-32 checksum are below 65521, whatever the bytes are. */
#include "zlib.h"

extern unsigned nondet_unsigned(void);
extern void reach_error(void);

int main(void) {
  unsigned char text[8];
  unsigned length = nondet_unsigned();
  if (length > 8)
    return 0;
  unsigned long sum = adler32(1, text, length);
  if ((sum & 0xffff) >= 65521 || sum >> 16 >= 65521)
    reach_error();
  return 0;
}
