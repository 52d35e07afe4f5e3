// The elements of a flexible array may lie across the multiples of their size: 4 bytes after the start on ILP32.
extern void *malloc(__SIZE_TYPE__);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct numbers {
    int n;
    unsigned long long d[];
} __attribute__((packed));
int main(void) {
    struct numbers *x = malloc(sizeof(struct numbers) + 3 * sizeof(x->d[0]));
    x->n = 3;
    for (int i = 0; i < x->n; i++)
        x->d[i] = i + 5;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 2)
        return 0;
    if (x->d[k] != k + 5 || x->n != 3)
        reach_error();
    return 0;
}
