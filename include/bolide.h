/* Contracts for Bolide. For other compilers they are nothing.

   int take(struct ring *r, unsigned n) {
     __requires(r && n <= 64);     what callers owe; assumed if take is the entry
     __ensures(__result >= 0);     holds whenever the function returns
     __ensures(r->used <= __old(r->used));
     while (…) {
       __invariant(i <= n);        holds whenever control comes here
     }
     __ensures(count >= 0);        holds here
     return count;
   }

   What a body begins with is the contract of the function. In it, __result is the result, parameters have the values
   that they were passed with, and __old(e) is the value that e had at the call. With --modular, functions that have
   a contract are verified one by one, and their contracts stand for them where they are called. */
#ifndef BOLIDE_H
#define BOLIDE_H

#ifdef __BOLIDE__
extern void __bolide_requires(int);
extern void __bolide_ensures(int);
extern void __bolide_invariant(int);
#define __requires(condition) __bolide_requires((condition) != 0)
#define __ensures(condition) __bolide_ensures((condition) != 0)
#define __invariant(condition) __bolide_invariant((condition) != 0)
#define __old(value) __bolide_old(value)
#else
#define __requires(condition) ((void)0)
#define __ensures(condition) ((void)0)
#define __invariant(condition) ((void)0)
#endif

#endif
