extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ __auto_type x=3.5;
assert(x==3.5);
typeof(x) y=1;
assert(y==1.0);
const int c=3;
__typeof__(c+0) z;
z=4;
assert(z==4);
return 0;
}
