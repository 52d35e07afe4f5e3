extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ assert(L'\xffffffff'<0);
assert(u'\xffff'>0);
assert('ab'==0x6162);
assert('\377'==-1);
assert(sizeof(L"ab")==12);
assert(sizeof(u"ab")==6);
assert(0x80000000>0);
assert(2147483648>0);
assert(sizeof(2147483648)==8);
assert(sizeof 1u==4);
unsigned short w[]=u"xy";
assert(w[1]=='y'&&sizeof w==6);
return 0;
}
