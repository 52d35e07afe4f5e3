extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct C{void(*cb)(void*); void*arg;}; void inc(void*p){++*(int*)p;} void dec(void*p){--*(int*)p;} void run(struct C*c,int n){for(int i=0;i<n;i++)c[i].cb(c[i].arg);}
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
int a=0,b=0; struct C c[2]={{inc,&a},{dec,&b}}; run(c,2); check(a==1&&b==-1);
return 0;}
