#include "programs.h"
#include <string.h>
#include <unistd.h>

int await_words(int output, const char *words) {
    static char text[1 << 16];
    ssize_t count;
    for (size_t size = 0; size < sizeof text - 1; size += (size_t)count) {
        if ((count = read(output, text + size, sizeof text - 1 - size)) <= 0)
            return 0;
        text[size + (size_t)count] = 0;
        if (strstr(text, words))
            return 1;
    }
    return 0;
}
