extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ const int ci=1;
char c;
assert(_Generic(ci,int:1,default:2)==1);
assert(_Generic(&ci,const int*:1,int*:2)==1);
assert(_Generic("a",char*:1,default:2)==1);
assert(_Generic(c+c,int:1,default:2)==1);
assert(_Generic(1?c:c,int:1,default:2)==1);
assert(_Generic((void*)0,void*:1)==1);
int *p;
assert(_Generic(1?p:(void*)0,int*:1,default:2)==1);
assert(_Generic(1?p:(void*)p,void*:1,default:2)==1);
return 0;
}
