void *__bolide_model___pointer_malloc(unsigned long n) { return __builtin_malloc(n); }
void *__bolide_model___pointer_calloc(unsigned long n, unsigned long size) { return __builtin_calloc(n, size); }
void __bolide_model___pointer_free(void *p) { __builtin_free(p); }
void *__bolide_model___pointer_memset(void *p, int v, unsigned long n) { return __builtin_memset(p, v, n); }
void *__bolide_model___pointer_memcpy(void *d, const void *s, unsigned long n) { return __builtin_memcpy(d, s, n); }
void *__bolide_model___pointer_memmove(void *d, const void *s, unsigned long n) { return __builtin_memmove(d, s, n); }
void *__bolide_model___pointer_mempcpy(void *d, const void *s, unsigned long n) { return __builtin_mempcpy(d, s, n); }
void __bolide_model___pointer_bzero(void *p, unsigned long n) { __builtin_bzero(p, n); }
void __bolide_model___pointer_abort(void) { __builtin_abort(); }
void __bolide_model___pointer_exit(int status) { __builtin_exit(status); }
void __bolide_model___pointer__exit(int status) { __builtin__exit(status); }
double __bolide_model___pointer_fabs(double x) { return __builtin_fabs(x); }
double __bolide_model___pointer_sqrt(double x) { return __builtin_sqrt(x); }
double __bolide_model___pointer_floor(double x) { return __builtin_floor(x); }
double __bolide_model___pointer_ceil(double x) { return __builtin_ceil(x); }
double __bolide_model___pointer_trunc(double x) { return __builtin_trunc(x); }
double __bolide_model___pointer_round(double x) { return __builtin_round(x); }
double __bolide_model___pointer_rint(double x) { return __builtin_rint(x); }
double __bolide_model___pointer_nearbyint(double x) { return __builtin_nearbyint(x); }
double __bolide_model___pointer_fmod(double x, double y) { return __builtin_fmod(x, y); }
double __bolide_model___pointer_fmin(double x, double y) { return __builtin_fmin(x, y); }
double __bolide_model___pointer_fmax(double x, double y) { return __builtin_fmax(x, y); }
double __bolide_model___pointer_copysign(double x, double y) { return __builtin_copysign(x, y); }
float __bolide_model___pointer_fabsf(float x) { return __builtin_fabsf(x); }
float __bolide_model___pointer_sqrtf(float x) { return __builtin_sqrtf(x); }
float __bolide_model___pointer_floorf(float x) { return __builtin_floorf(x); }
float __bolide_model___pointer_ceilf(float x) { return __builtin_ceilf(x); }
float __bolide_model___pointer_fmodf(float x, float y) { return __builtin_fmodf(x, y); }
float __bolide_model___pointer_fminf(float x, float y) { return __builtin_fminf(x, y); }
float __bolide_model___pointer_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
