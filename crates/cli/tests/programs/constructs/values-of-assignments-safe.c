extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int a,b;
int main(void){ char c;
int x = (c = 300);
assert(x==44);
a=b=5;
assert(a==5&&b==5);
unsigned char u;
assert((u=-1)==255);
return 0;
}
