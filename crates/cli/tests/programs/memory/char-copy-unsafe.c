extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct S{int a; int*p;};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int v=5; struct S s={3,&v},d; char*x=(char*)&d,*y=(char*)&s; for(unsigned i=0;i<sizeof s;i++) x[i]=y[i]; *d.p=8; check(!(d.a==3 && v==8));
return 0;}
