extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int x=1;
typedef int T;
int main(void){ int x=x=2;
{ int T=5;
assert(T==5);
} { extern int x;
assert(x==1);
} T y=3;
assert(y==3);
struct x{int a;
};
{ struct x;
struct x{char b;
};
assert(sizeof(struct x)==1);
} assert(sizeof(struct x)==4);
for(int x=0;x<1;x++);
return 0;
}
