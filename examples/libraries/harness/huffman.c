/* The coder of bzip2: codes for four symbols of any frequency are within the length that is asked for, and the tables of the
   decoder are made from them without leaving their arrays. */
#include "bzlib_private.h"

extern int nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned char lengths[4];
  int frequencies[4], limit[BZ_MAX_CODE_LEN], base[BZ_MAX_CODE_LEN], perm[4], codes[4];
  for (int i = 0; i < 4; i++) {
    frequencies[i] = nondet_int();
    if (frequencies[i] < 0 || frequencies[i] > 3)
      return 0;
  }
  BZ2_hbMakeCodeLengths(lengths, frequencies, 4, 17);
  int shortest = 32, longest = 0;
  for (int i = 0; i < 4; i++) {
    if (lengths[i] < 1 || lengths[i] > 17)
      reach_error();
    if (lengths[i] > longest)
      longest = lengths[i];
    if (lengths[i] < shortest)
      shortest = lengths[i];
  }
  BZ2_hbAssignCodes(codes, lengths, shortest, longest, 4);
  BZ2_hbCreateDecodeTables(limit, base, perm, lengths, shortest, longest, 4);
  return 0;
}
