/* The same of the checksum of two texts that is made from theirs. */
#include "zlib.h"

extern unsigned nondet_unsigned(void);
extern long nondet_long(void);
extern void reach_error(void);

int main(void) {
  unsigned a = nondet_unsigned(), b = nondet_unsigned();
  if ((a & 0xffff) >= 65521 || a >> 16 >= 65521 || (b & 0xffff) >= 65521 || b >> 16 >= 65521)
    return 0;
  unsigned long sum = adler32_combine(a, b, nondet_long());
  if (sum != 0xffffffff && ((sum & 0xffff) >= 65521 || sum >> 16 >= 65521))
    reach_error();
  return 0;
}
