/* Contracts for Bolide. For other compilers they are nothing.

   int take(struct ring *r, unsigned n) {
     __requires(r && n <= 64);     what callers owe; assumed if take is the entry
     while (…) {
       __invariant(i <= n);        holds whenever control comes here
     }
     __ensures(count >= 0);        holds here, before the function returns
     return count;
   } */
#ifndef BOLIDE_H
#define BOLIDE_H

#ifdef __BOLIDE__
extern void __bolide_requires(int);
extern void __bolide_ensures(int);
extern void __bolide_invariant(int);
#define __requires(condition) __bolide_requires((condition) != 0)
#define __ensures(condition) __bolide_ensures((condition) != 0)
#define __invariant(condition) __bolide_invariant((condition) != 0)
#else
#define __requires(condition) ((void)0)
#define __ensures(condition) ((void)0)
#define __invariant(condition) ((void)0)
#endif

#endif
