// Prints to the standard output, where the host prints its data.
#include <stdint.h>
#include <stdio.h>

int32_t print_noise(void) {
    printf("noise of a plugin\n");
    return fflush(stdout);
}
