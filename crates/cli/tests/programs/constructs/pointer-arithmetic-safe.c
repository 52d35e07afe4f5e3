extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ int a[5];
int *p=&a[4],*q=a;
assert(p-q==4);
assert(p>q);
assert(&a[5]-a==5);
char *c=(char*)p;
assert(c-(char*)q==16);
int (*r)[5]=&a;
assert((char*)(r+1)-(char*)r==20);
assert(&*p==p);
void *v=p;
v+=4;
assert((char*)v-c==4);
return 0;
}
