extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
int f(int x){return x+1;} int g(int x){return x*2;} struct Op{int k; int(*fn)(int);}; struct Op ops[2]={{1,f},{2,g}};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct Op o=ops[(V(1))]; check(!(o.fn(5)==10 && o.k==2));
return 0;}
