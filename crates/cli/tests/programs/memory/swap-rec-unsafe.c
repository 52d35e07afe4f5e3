extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct S{int a; char c; int b;};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct S x[3]={{1,2,3},{4,5,6},{7,8,9}}; int i=(V(0)),j=(V(2)); struct S t=x[i]; x[i]=x[j]; x[j]=t; check(!(x[0].a==7 && x[2].b==3 && x[0].c==8));
return 0;}
