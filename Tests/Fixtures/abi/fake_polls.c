// The polls, the wait for room and the submitted functions of the fake host: all run when the test says so.
#include "fake_host.h"
#include <poll.h>
#include <stdlib.h>

enum { at_most = 64 };

struct watched {
    spin_call *call;
    struct pollfd wait;
    void (*ready)(void *, uint64_t);
    void (*release)(void *);
    void *context;
    int is_live, is_reporting, has_ended;
};

struct function {
    spin_call *call;
    void (*function)(void *);
    void *context;
};

spin_status fake_room_status;
int fake_defers_work;

static struct watched polls[at_most];
static struct function waiting[at_most], submitted[at_most];
static int waiting_count, submitted_count;

static void end_poll(struct watched *poll) {
    poll->has_ended = 1;
    if (poll->is_reporting)
        return;
    poll->is_live = 0;
    if (poll->release)
        poll->release(poll->context);
}

void fake_end_polls(spin_call *call) {
    for (int i = 0; i < at_most; i++)
        if (polls[i].is_live && polls[i].call == call && !polls[i].has_ended)
            end_poll(&polls[i]);
    for (int i = 0; i < waiting_count; i++)
        if (waiting[i].call == call) {
            submitted[submitted_count++] = waiting[i];
            waiting[i--] = waiting[--waiting_count];
        }
}

// A paused poll is negative, which poll(2) skips.
static short native(uint64_t events) {
    return (short)((events & SPIN_POLL_READ ? POLLIN : 0) | (events & SPIN_POLL_WRITE ? POLLOUT : 0));
}

spin_status fake_poll_start(const spin_host *host, spin_call *call, int32_t descriptor, uint64_t events,
                            void (*ready)(void *, uint64_t), void *context, void (*release)(void *),
                            spin_poll *poll) {
    (void)host;
    if (fake_status(call) != SPIN_OK)
        return fake_status(call);
    int place = 0;
    while (polls[place].is_live)
        place++;
    polls[place] = (struct watched){.call = call,
                                    .wait = {descriptor, native(events), 0},
                                    .ready = ready,
                                    .release = release,
                                    .context = context,
                                    .is_live = 1};
    if (poll)
        *poll = (spin_poll)place + 1;
    return SPIN_OK;
}

spin_status fake_poll_change(const spin_host *host, spin_poll poll, uint64_t events) {
    (void)host;
    if (poll < 1 || poll > at_most || !polls[poll - 1].is_live || polls[poll - 1].has_ended)
        return SPIN_STOPPED;
    polls[poll - 1].wait.events = native(events);
    return SPIN_OK;
}

spin_status fake_poll_cancel(const spin_host *host, spin_poll poll) {
    (void)host;
    if (poll < 1 || poll > at_most || !polls[poll - 1].is_live || polls[poll - 1].has_ended)
        return SPIN_STOPPED;
    end_poll(&polls[poll - 1]);
    return SPIN_OK;
}

spin_status fake_room_on_room(const spin_host *host, spin_call *call, void (*function)(void *),
                              void *context) {
    (void)host;
    if (fake_status(call) != SPIN_OK)
        return fake_status(call);
    if (fake_room_status != SPIN_OK)
        return fake_room_status;
    for (int i = 0; i < waiting_count; i++)
        if (waiting[i].call == call)
            return SPIN_FULL;
    waiting[waiting_count++] = (struct function){call, function, context};
    return SPIN_OK;
}

void fake_make_room(void) {
    while (waiting_count > 0)
        submitted[submitted_count++] = waiting[--waiting_count];
}

int fake_waits_for_room(void) { return waiting_count; }

spin_status fake_work_submit(const spin_host *host, void (*function)(void *), void *context) {
    (void)host;
    if (fake_defers_work)
        submitted[submitted_count++] = (struct function){NULL, function, context};
    else
        function(context);
    return SPIN_OK;
}

void fake_serve(void) {
    struct pollfd waits[at_most];
    for (int i = 0; i < at_most; i++) {
        int is_watched = polls[i].is_live && polls[i].wait.events != 0;
        waits[i] = (struct pollfd){is_watched ? polls[i].wait.fd : -1, polls[i].wait.events, 0};
    }
    poll(waits, at_most, submitted_count > 0 ? 0 : -1);
    for (int i = 0; i < at_most; i++) {
        struct watched *poll = &polls[i];
        if (waits[i].revents == 0 || !poll->is_live)
            continue;
        uint64_t events = (waits[i].revents & POLLIN ? SPIN_POLL_READ : 0) |
                          (waits[i].revents & POLLOUT ? SPIN_POLL_WRITE : 0) |
                          (waits[i].revents & (POLLHUP | POLLERR) ? SPIN_POLL_HANGUP : 0);
        poll->is_reporting = 1;
        poll->ready(poll->context, events);
        poll->is_reporting = 0;
        if (poll->has_ended)
            end_poll(poll);
    }
    int count = submitted_count;
    for (int i = 0; i < count; i++)
        submitted[i].function(submitted[i].context);
    submitted_count -= count;
    for (int i = 0; i < submitted_count; i++)
        submitted[i] = submitted[count + i];
}

int fake_pending(void) {
    int count = waiting_count + submitted_count;
    for (int i = 0; i < at_most; i++)
        count += polls[i].is_live;
    return count;
}
