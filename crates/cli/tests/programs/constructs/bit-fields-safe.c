extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
struct S{unsigned a:3;
int b:5;
unsigned long long c:40;
signed char d:4;
_Bool e:1;
} s;
int main(void){ s.a=9;
assert(s.a==1);
s.b=17;
assert(s.b==-15);
s.c=-1;
assert(s.c+1==0);
assert((s.a=15)==7);
s.d=9;
assert(s.d==-7);
s.e=4;
assert(s.e==1);
s.a++;
assert(s.a==0);
s.a--;
assert(s.a==7);
assert(s.a-8<0);
return 0;
}
