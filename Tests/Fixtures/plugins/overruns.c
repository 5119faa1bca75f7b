// Writes outside of the buffers that the host gives.
#include <stdint.h>
#include <string.h>

void past_the_end(uint8_t *buffer, int32_t count) { memset(buffer, 0x5A, (size_t)count); }
void before_the_start(uint8_t *buffer, int32_t count) { memset(buffer - count, 0x5A, (size_t)count); }
