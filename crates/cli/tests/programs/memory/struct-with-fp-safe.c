extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long ul;
extern void *malloc(ul);extern void *calloc(ul,ul);extern void *memcpy(void*,const void*,ul);extern void*memmove(void*,const void*,ul);extern void *memset(void*,int,ul);extern ul strlen(const char*);
#define check(c) do { if(!(c)) reach_error(); } while(0)
struct V{int(*get)(struct V*); int d;}; int gt(struct V*v){return v->d;}
int V(int x){int y=__VERIFIER_nondet_int(); if(y!=x) abort(); return y;}
int main(void){
struct V v={gt,3},w; w=v; w.d=(V(4)); struct V*p[2]={&v,&w}; check(p[(V(1))]->get(p[1])==4);
return 0;}
