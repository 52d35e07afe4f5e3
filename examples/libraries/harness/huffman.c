/* The coder of bzip2: codes of at most 17 bits for three symbols of any frequency up to 3, and the tables of the decoder that are
   made from them, stay in their arrays. */
#include "bzlib_private.h"

extern int nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned char lengths[3];
  int frequencies[3], limit[BZ_MAX_CODE_LEN], base[BZ_MAX_CODE_LEN], perm[3], codes[3];
  for (int i = 0; i < 3; i++) {
    frequencies[i] = nondet_int();
    if (frequencies[i] < 0 || frequencies[i] > 3)
      return 0;
  }
  BZ2_hbMakeCodeLengths(lengths, frequencies, 3, 17);
  for (int i = 0; i < 3; i++)
    if (lengths[i] < 1 || lengths[i] > 2)
      reach_error();
  BZ2_hbAssignCodes(codes, lengths, 1, 2, 3);
  BZ2_hbCreateDecodeTables(limit, base, perm, lengths, 1, 2, 3);
  return 0;
}
