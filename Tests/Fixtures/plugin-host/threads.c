#include "threads.h"
#include "host.h"

static void *give_room(void *context) {
    const struct room_giver *giver = context;
    for (int i = 0; i < giver->times; i++) {
        host_await_room(giver->call);
        host_set_room(giver->call, giver->room);
    }
    return NULL;
}

void room_giver_begin(struct room_giver *giver, spin_call *call, int room, int times) {
    giver->call = call;
    giver->room = room;
    giver->times = times;
    check("a thread begins", pthread_create(&giver->thread, NULL, give_room, giver) == 0);
}

void room_giver_end(struct room_giver *giver) { pthread_join(giver->thread, NULL); }

struct caller {
    spin_self *self;
    int count;
    spin_call *(*make_call)(spin_self *self, int number);
};

static void *make_calls(void *context) {
    const struct caller *caller = context;
    for (int i = 0; i < caller->count; i++) {
        spin_call *call = caller->make_call(caller->self, i);
        if (i % 4 == 3)
            host_cancel(call);
        host_ended(call);
    }
    return NULL;
}

void make_calls_at_once(spin_self *self, int count, spin_call *(*make_call)(spin_self *self, int number)) {
    enum { threads = 4 };
    struct caller caller = {self, count, make_call};
    pthread_t all[threads];
    for (int i = 0; i < threads; i++)
        check("a thread begins", pthread_create(&all[i], NULL, make_calls, &caller) == 0);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
}
