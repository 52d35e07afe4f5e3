extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
#define NULL 0
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define offsetof(T,m) __builtin_offsetof(T,m)
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct S{int n; int a[4]; int m;}; struct S s;
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int i=(V(-1)); s.a[i]=7; check(!(s.n==7));
return 0;}
