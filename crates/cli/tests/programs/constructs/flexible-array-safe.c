extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
struct F{int n;
int a[];
} f={2,{5,6}};
int main(void){ assert(f.a[1]==6);
assert(sizeof f==4);
return 0;
}
