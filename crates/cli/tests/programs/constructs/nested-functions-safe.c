extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ int x=3;
int add(int y){ x+=y;
return x;
} assert(add(4)==7);
assert(x==7);
int twice(int (*g)(int),int v){ return g(v)+g(v);
} assert(twice(add,1)==17);
return 0;
}
