extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct T{int k; ul v;};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int x=1; struct T t[2]; t[0].v=(ul)&x; t[1]=t[(V(0))]; *(int*)t[1].v=5; check(x==5);
return 0;}
