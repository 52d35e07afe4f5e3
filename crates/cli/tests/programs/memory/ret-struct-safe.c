extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct P{int*p; int k;}; struct P mk(int*p,int k){struct P r={p,k};return r;}
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int a[2]={0}; struct P q[2]; q[(V(0))]=mk(&a[0],1); q[(V(1))]=mk(&a[1],2); *q[(V(1))].p=q[1].k; check(a[1]==2&&a[0]==0);
return 0;}
