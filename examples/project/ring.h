#define SIZE 8

/* A ring of at most SIZE numbers. */
struct ring {
  unsigned first, count;
  int data[SIZE];
};

int ring_put(struct ring *r, int value);
int ring_get(struct ring *r, int *value);
