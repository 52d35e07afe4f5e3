extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
struct __attribute__((packed)) S{char c;
unsigned a:31;
unsigned long long b:62;
int d:7;
} s={1,2,3,4};
int main(void){ assert(sizeof(s)==14);
s.a=0x7fffffff;
s.b=0x3fffffffffffffffULL;
s.d=-3;
assert(s.c==1&&s.a==0x7fffffff&&s.b==0x3fffffffffffffffULL&&s.d==-3);
s.b=5;
assert(s.a==0x7fffffff && s.d==-3 && s.b==5);
return 0;
}
