// A number of bytes that is not known may end inside of a cell.
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern unsigned __VERIFIER_nondet_uint(void);
struct record {
    unsigned char name[3];
    int number[2];
    char end;
};
static struct record r = {{3, 5, 6}, {6, 10}, 7};
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 6)
        return 0;
    memset(r.number, 171, n);
    if (n == 2 && r.number[0] != 43947 || n == 5 && r.number[1] == 171 || n == 6 && r.number[1] != 43947)
        reach_error();
    return 0;
}
