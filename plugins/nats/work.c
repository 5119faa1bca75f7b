#include "work.h"
#include "calls/connection.h"
#include "calls/consume.h"
#include "calls/deliver.h"
#include "calls/exchange.h"
#include "instance.h"
#include "link/send.h"

// Gives a call to the part that serves it.
static void take(spin_self *self, struct lasting *lasting) {
    struct call *call = (struct call *)lasting;
    if (call->kind == CALL_CONNECTION) {
        call_move(call, &self->watchers);
    } else if (call->kind == CALL_CONSUME) {
        consume_take(self, call);
    } else if (call->kind != CALL_SUBSCRIBE) {
        exchange_take(self, call);
    } else {
        if (atomic_exchange(&self->engine.has_ends, 0))
            calls_sweep(self); // The call may follow one that is over, and get what that one held.
        call_move(call, &self->subscribers);
        if (!table_add(&self->table, call)) {
            call_fail(call, SPIN_NO_MEMORY, "no memory");
            return;
        }
        send_subscribe(self, call);
        keep_give(self, call);
    }
}

static int64_t sooner(int64_t one, int64_t other) { return one < other ? one : other; }

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    uint32_t found = 0;
    for (int i = 0; i < count; i++)
        found |= events[i].events;
    if (has_ends)
        calls_sweep(self);
    traffic_serve(self, found);
    link_advance(self);
    int64_t due = keep_step(self, spin_monotonic());
    due = sooner(due, deliver_blocked(self, spin_monotonic()));
    due = sooner(due, consume_step(self, spin_monotonic()));
    due = sooner(due, exchange_step(self, spin_monotonic()));
    traffic_write(self);
    // More messages may have room now.
    due = sooner(due, exchange_step(self, spin_monotonic()));
    connection_tell(self);
    traffic_watch(self);
    scratch_trim(&self->scratch);
    return sooner(due, link_due(self));
}

const struct engine_kind work_kind = {take, step};

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    calls_drop(self);
    link_end(self);
    engine_close(&self->engine);
}
