extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int f(void){ static int n=3;
static int *p=&n;
return (*p)++;
} const int k=4;
int z=k;
int main(void){ assert(f()==3);
assert(f()==4);
assert(z==4);
return 0;
}
