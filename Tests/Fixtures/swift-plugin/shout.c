// A function of C for Swift, and an effect in C, which has its place in the same table.
#include "shout.h"

int64_t louder(int64_t volume) { return volume < 10 ? volume + 1 : 10; }

SPIN_EFFECT(int64_t, louder, (int64_t volume), "One louder, at most 10.");
