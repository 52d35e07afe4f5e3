extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int n;
int f(void){n++;
return 1;
} int main(void){ int x=0?f():2;
assert(n==0);
x = 1||f();
assert(n==0);
x= f()&&f();
assert(n==2);
x = 5 ?: f();
assert(x==5&&n==2);
int y=0;
y = y ?: 7;
assert(y==7);
(void)(x,y);
return 0;
}
