// Takes pointers that random arguments cannot make, and leaves a file open in each call.
#include <fcntl.h>
#include <spinhost/plugin.h>

SPIN_PLUGIN("takes_pointers", "1.0.0");

static int64_t follow(void *pointer) { return *(int64_t *)pointer; }
SPIN_EFFECT(int64_t, follow, (void *pointer), "");

static int64_t fill(int64_t *numbers, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        numbers[i] = i;
    return count;
}
SPIN_EFFECT(int64_t, fill, (int64_t * numbers, int64_t count), "");

static int32_t leave_file(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }
SPIN_EFFECT(int32_t, leave_file, (void), "");

static int32_t leave_files_here(const char *name) {
    (void)name;
    return open("left", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}
SPIN_EFFECT(int32_t, leave_files_here, (const char *name), "");

// Never returns for any other number.
static int64_t spin(int64_t n) {
    volatile int64_t turns = 0;
    while (n % 2 != 0)
        turns = turns + 1;
    return turns;
}
SPIN_EFFECT(int64_t, spin, (int64_t n), "");
