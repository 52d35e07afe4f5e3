extern void __VERIFIER_error(void);
static void assert(int holds) { if (!holds) __VERIFIER_error(); }
int sum(int n,int m,int a[n][m]){int s=0;
for(int i=0;i<n;i++)for(int j=0;j<m;j++)s+=a[i][j];
return s;
} int main(void){int n=2,m=3;
int a[n][m];
for(int i=0;i<n;i++)for(int j=0;j<m;j++)a[i][j]=i*m+j;
assert(sizeof a==24);
assert(sizeof a[0]==12);
assert(sum(n,m,a)==15);
int (*p)[m]=a;
p++;
assert(p[0][1]==4);
assert(p-a==1);
typedef int T[n];
n=7;
T t;
assert(sizeof t==8);
int k=1;
int z=sizeof(int[k++]);
assert(k==2&&z==4);
return 0;
}
