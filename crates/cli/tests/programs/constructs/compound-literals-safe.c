extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int *p;
struct S{int a;
};
int f(struct S *s){return s->a;
} int main(void){ assert(f(&(struct S){7})==7);
p=(int[]){1,2,3};
p[1]=9;
assert(p[1]==9);
int i=0;
int a[3]={0};
a[i++]+=5;
assert(i==1&&a[0]==5);
char *s="abc";
s+=1;
assert(*s=='b');
assert(2["abc"]=='c');
return 0;
}
