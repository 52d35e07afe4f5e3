extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)

int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int x=0; short*s=(short*)&x; s[(V(1))]=1; check(!(x==65536));
return 0;}
