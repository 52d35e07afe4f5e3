extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int main(void){ _Complex double z=1.0+2.0i;
assert(__real__ z==1.0&&__imag__ z==2.0);
z=z+3;
assert(__real__ z==4.0);
z=~z;
assert(__imag__ z==-2.0);
assert(z!=0);
__imag__ z = 7;
assert(__imag__ z==7.0);
return 0;
}
