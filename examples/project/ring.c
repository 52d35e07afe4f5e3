#include "ring.h"

static unsigned wrap(unsigned n) { return n % SIZE; }

int ring_put(struct ring *r, int value) {
  if (r->count == SIZE) return 0;
  r->data[wrap(r->first + r->count)] = value;
  r->count++;
  return 1;
}

int ring_get(struct ring *r, int *value) {
  if (r->count == 0) return 0;
  *value = r->data[r->first];
  r->first = wrap(r->first + 1);
  r->count--;
  return 1;
}
