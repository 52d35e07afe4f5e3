extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int f(unsigned char c){ switch(c){ case 1 ... 3: return 1;
case 200: return 2;
default: return 3;
case 5: ;
} return 4;
} int main(void){assert(f(2)==1&&f(200)==2&&f(9)==3&&f(5)==4);
long l=1L<<32;
switch(l){case 0: assert(0);
} return 0;
}
