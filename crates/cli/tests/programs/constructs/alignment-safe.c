extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
struct A{char c;
long long l;
};
struct B{char c;
double d[2];
} ;
int main(void){ assert(sizeof(struct A)==16);
assert(__alignof__(double)==8);
assert(_Alignof(struct A)==8);
assert(__builtin_offsetof(struct B,d[1])==16);
return 0;
}
