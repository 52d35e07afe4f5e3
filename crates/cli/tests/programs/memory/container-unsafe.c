extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define container_of(p,T,m) ((T*)((char*)(p)-__builtin_offsetof(T,m)))
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct L{struct L*next;}; struct E{int x; struct L l; int y;};
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct E e={1,{0},2}; struct L*p=&e.l; check(container_of(p,struct E,l)->y==2); container_of(p,struct E,l)->x=9; check(!(e.x==9));
return 0;}
