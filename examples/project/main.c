#include <assert.h>
#include "ring.h"

extern int __VERIFIER_nondet_int(void);

static int wrap = 5;

int main(void) {
  struct ring r = {0, 0, {0}};
  int x = __VERIFIER_nondet_int(), y = 0;
  ring_put(&r, x);
  ring_put(&r, wrap);
  assert(ring_get(&r, &y) && y == x);
  assert(ring_get(&r, &y) && y == 5);
  assert(!ring_get(&r, &y));
  return 0;
}
