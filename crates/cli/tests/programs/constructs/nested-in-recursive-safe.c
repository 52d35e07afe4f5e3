extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int f(int n){ int loc=n;
int g(int d){ if(d>0) f(d-1);
return loc;
} return g(n);
} int main(void){ assert(f(3)==3);
return 0;
}
