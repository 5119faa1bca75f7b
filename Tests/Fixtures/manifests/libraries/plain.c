#include <stdlib.h>
#include <string.h>

struct point {
    double x, y;
};

int add(int a, int b) { return a + b; }
signed char narrow(signed char x) { return x; }
double scale(double x, double factor) { return x * factor; }
void fill(double *values, int count) {
    for (int i = 0; i < count; i++) {
        values[i] = i;
    }
}
int read_all(unsigned char *buffer, int size) { return size > 0 ? (buffer[0] = 1) : 0; }
double length(const struct point *from) { return from->x + from->y; }
int wait_for(long long nanoseconds) { return nanoseconds > 0; }
char *greeting(const char *name) { return strdup(name); }
void release_greeting(char *text) { free(text); }
