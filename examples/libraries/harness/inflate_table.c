/* The tables of a decoder stay in the room that their caller gives, whatever the lengths of five codes are. */
#include "zutil.h"
#include "inftrees.h"

extern unsigned short nondet_ushort(void);
extern void reach_error(void);

int main(void) {
  unsigned short lens[5], work[5];
  code table[ENOUGH_DISTS], *next = table;
  unsigned bits = 3;
  for (int i = 0; i < 5; i++) {
    lens[i] = nondet_ushort();
    if (lens[i] > 4)
      return 0;
  }
  int result = inflate_table(CODES, lens, 5, &next, &bits, work);
  if (result == 0 && (next < table || next > table + ENOUGH_DISTS))
    reach_error();
  return 0;
}
