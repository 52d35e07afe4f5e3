extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ int x=3;
__asm__ volatile("":::"memory");
assert(x==3);
return 0;
}
