// Every scalar type, in and out.
#include <stdbool.h>
#include <stdint.h>

int8_t same_i8(int8_t x) { return x; }
int16_t same_i16(int16_t x) { return x; }
int32_t same_i32(int32_t x) { return x; }
int64_t same_i64(int64_t x) { return x; }
uint8_t same_u8(uint8_t x) { return x; }
uint16_t same_u16(uint16_t x) { return x; }
uint32_t same_u32(uint32_t x) { return x; }
uint64_t same_u64(uint64_t x) { return x; }
float same_float(float x) { return x; }
double same_double(double x) { return x; }
bool is_not(bool x) { return !x; }
void *same_pointer(void *x) { return x; }

// Leaves other bits in the register above the byte of a `bool` or `int8_t`, as a callee may.
uint64_t rubbish_above(void) { return 0xFFFFFFFFFFFFFF00u | 0x80u; }
uint64_t rubbish_above_false(void) { return 0xFFFFFFFFFFFFFF00u; }

double mixed(int8_t a, uint16_t b, float c, int64_t d, double e, uint8_t f, bool g, int32_t h, double i,
             uint64_t j) {
    return a + b + c + (double)d + e + f + g + h + i + (double)j;
}
