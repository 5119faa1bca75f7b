/* Threads of the test that use a plugin at once. */
#ifndef PLUGIN_TEST_THREADS_H
#define PLUGIN_TEST_THREADS_H

#include <pthread.h>
#include <spinhost/plugin.h>

/* A thread that gives a call room so many times, each time for so many emissions, as soon as the call waits for it. */
struct room_giver {
    pthread_t thread;
    spin_call *call;
    int room, times;
};
void room_giver_begin(struct room_giver *giver, spin_call *call, int room, int times);
void room_giver_end(struct room_giver *giver);

/* Has four threads make so many calls each, one after the other. Each fourth call is cancelled. */
void make_calls_at_once(spin_self *self, int count, spin_call *(*make_call)(spin_self *self, int number));

#endif
