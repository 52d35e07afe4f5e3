extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ int a=3;
int b=({int t=a*2; t+1;});
assert(b==7);
struct S{int x,y;
};
struct S s=({struct S q={1,2}; q;});
assert(s.y==2);
assert(({__label__ l;
int i=0;
l: i++;
if(i<5) goto l; i;})==5);
return 0;
}
