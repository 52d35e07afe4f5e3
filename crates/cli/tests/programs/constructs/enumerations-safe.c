extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
enum e{A=-1,B=5};
enum u{C=1};
enum big{D=0x1ffffffffLL};
int main(void){ enum u x=C;
assert(x-2>0);
enum e y=A;
assert(y<0);
assert(sizeof(enum big)==8);
assert(_Generic(x,unsigned:1,default:2)==1);
assert(_Generic(C,int:1,default:2)==1);
assert(_Generic(D,int:1,default:2)==2);
return 0;
}
