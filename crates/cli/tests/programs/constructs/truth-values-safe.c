extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ _Bool b=0.5;
assert(b==1);
b=256;
assert(b==1);
b--;
assert(b==0);
b--;
assert(b==1);
b++;
assert(b==1);
int *p=0;
b=p;
assert(b==0);
assert((_Bool)2==1);
return 0;
}
