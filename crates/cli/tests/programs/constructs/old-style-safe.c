extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int f(a,b) int a;
char b;
{ return a+b;
} int g();
int main(){ assert(f(1,2)==3);
assert(g(3,4)==7);
return 0;
} int g(x,y){return x+y;
}
