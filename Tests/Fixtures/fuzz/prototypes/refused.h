#define N 3
int printf(const char *format, ...); union u { int a; }; void (*f)(int); int x = 3; long double g(void);
