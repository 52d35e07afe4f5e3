extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int f(int x){ static void *t[]={&&a,&&b,&&c};
goto *t[x];
a: return 10;
b: return 20;
c: return 30;
} int main(void){assert(f(0)==10&&f(1)==20&&f(2)==30);
return 0;
}
