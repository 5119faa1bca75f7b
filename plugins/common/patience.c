#include "patience.h"
#include <sys/random.h>

spin_duration patience(spin_duration least, spin_duration most, unsigned failures) {
    spin_duration longest = least;
    while (failures-- > 1 && longest < most)
        longest *= 2;
    if (longest > most)
        longest = most;
    uint64_t random = 0;
    // Without random numbers, which a system has soon after its start, the wait is the shortest one.
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = 0;
    return longest / 2 + (int64_t)(random % (uint64_t)(longest - longest / 2 + 1));
}
