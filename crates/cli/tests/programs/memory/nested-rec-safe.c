extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct A{int v[2];}; struct B{char t; struct A a[2]; struct A*pa;}; 
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct B b[2]; memset(b,0,sizeof b); b[1].pa=&b[0].a[1]; b[(V(1))].pa->v[(V(1))]=6; check(b[0].a[1].v[1]==6&&b[1].a[1].v[1]==0);
return 0;}
