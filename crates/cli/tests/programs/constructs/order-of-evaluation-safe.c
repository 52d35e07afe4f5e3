extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int x;
int f(void){x++;
return 10;
} int main(void){ x=1;
int y=x-f();
assert(y==-9);
x=0;
y=f()+x;
assert(y==11);
int a[3]={0};
x=0;
a[x]=f();
assert(a[0]==10);
return 0;
}
