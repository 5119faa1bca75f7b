#include "talker.h"

SPIN_PLUGIN("talker", "1.0.0");

SPIN_EFFECT(int64_t, greet, (const char *name), "Prints a greeting; the number of characters in it.");
SPIN_EFFECT(void, refuse, (spin_call *call, const char *reason), "Fails with `reason`.");

SPIN_INSTANCE(create_counter, destroy_counter);
SPIN_LIFE(start_counter, stop_counter);
SPIN_SWAP(save_counter, restore_counter, 1);

SPIN_EFFECT(int64_t, count, (spin_self *self), "The count, one step further.");
SPIN_EFFECT(void, count_on_thread, (spin_call *call, spin_self *self), "Emits `counted`, from a thread of the host.");
SPIN_EFFECT(void, count_in_task, (spin_call *call, spin_self *self, int64_t times), "Emits `counted` so often.");
SPIN_EFFECT(void, count_by_timer, (spin_call *call, spin_self *self), "Emits `counted` until it is cancelled.");
SPIN_EFFECT(void, sleep_in_task, (spin_call *call, spin_self *self), "Ends when it is cancelled, and says so.");
SPIN_EFFECT(void, throw_in_task, (spin_call *call), "Fails.");
