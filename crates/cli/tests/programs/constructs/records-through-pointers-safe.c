extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
struct S{int a[3];
};
struct S mk(int x){struct S s={{x,x+1,x+2}};
return s;
} int sum(struct S s){ s.a[0]+=100;
return s.a[0]+s.a[1]+s.a[2];
} int main(void){ struct S (*p)(int)=mk;
int (*q)(struct S)=sum;
assert(q(p(1))==106);
assert(mk(5).a[2]==7);
struct S t=p(2);
assert(sum(t)==109&&t.a[0]==2);
return 0;
}
