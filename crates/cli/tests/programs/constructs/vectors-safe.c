extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
typedef int v4 __attribute__((vector_size(16)));
int main(void){ v4 a={1,2,3,4},b={5,6,7,8};
v4 c=a+b;
assert(c[0]==6&&c[3]==12);
c=c*2;
assert(c[1]==16);
v4 d=a<b;
assert(d[0]==-1);
int i=2;
c[i]=9;
assert(c[2]==9);
return 0;
}
