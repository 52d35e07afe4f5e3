extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct S{int a,b,c;};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct S x={1,2,3},y={4,5,6}; memcpy(&y.b,&x.b,8); check(y.a==4&&y.b==2&&y.c==3); memmove(&x.b,&x.a,8); check(!(x.a==1&&x.b==1&&x.c==2));
return 0;}
