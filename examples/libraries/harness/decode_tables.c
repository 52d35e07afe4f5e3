/* The tables of bzip2's decoder for four symbols stay in their arrays if all codes have 1 to 20 bits. */
#include "bzlib_private.h"

extern unsigned char nondet_uchar(void);

int main(void) {
  unsigned char lengths[4];
  int limit[BZ_MAX_CODE_LEN], base[BZ_MAX_CODE_LEN], perm[4];
  for (int i = 0; i < 4; i++) {
    lengths[i] = nondet_uchar();
    if (lengths[i] < 1 || lengths[i] > 20)
      return 0;
  }
  BZ2_hbCreateDecodeTables(limit, base, perm, lengths, 1, 20, 4);
  return 0;
}
