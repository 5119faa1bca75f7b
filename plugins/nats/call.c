#include "call.h"
#include "instance.h"
#include "link/send.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void release(struct engine_call *base) {
    struct call *call = (struct call *)base;
    atomic_fetch_sub(&call->self->waiting, atomic_exchange(&call->is_waiting, 0));
}

// Copies bytes with a NUL behind them; where the next ones go.
static char *copy_bytes(char *target, const void **source, size_t size) {
    if (size > 0)
        memcpy(target, *source, size);
    target[size] = 0;
    *source = target;
    return target + size + 1;
}

// Makes a call with copies of the arguments; NULL without memory: the call has failed.
static struct call *copy(spin_self *self, const struct call *order) {
    size_t size = order->subject.size + order->name.size + order->header.size + order->data.size + 4;
    struct call *call = engine_call_make(&self->engine, order->base.call, sizeof *call + size);
    if (!call)
        return NULL;
    struct engine_call base = call->base;
    *call = *order;
    call->base = base;
    call->base.release = release;
    call->self = self;
    const void *subject = order->subject.data, *name = order->name.data, *header = order->header.data;
    const void *data = order->data.data;
    char *target = copy_bytes((char *)(call + 1), &subject, order->subject.size);
    target = copy_bytes(target, &name, order->name.size);
    target = copy_bytes(target, &header, order->header.size);
    copy_bytes(target, &data, order->data.size);
    call->subject.data = subject;
    call->name.data = name;
    call->header.data = header;
    call->data.data = data;
    return call;
}

// Counts a call that sends something; 0 when there are too many.
static int count(spin_self *self, struct call *call) {
    int waits = call->kind >= CALL_PUBLISH;
    atomic_init(&call->is_waiting, waits);
    return !waits || atomic_fetch_add(&self->waiting, 1) < self->config->most_waiting;
}

void call_begin(spin_self *self, struct call order) {
    struct call *call = copy(self, &order);
    if (!call)
        return;
    if (!count(self, call)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%d calls wait already (setting `most_waiting`)",
                 self->config->most_waiting);
        engine_call_refuse(&call->base, NATS_TOO_MANY, reason);
        return;
    }
    if (call->kind == CALL_SUBSCRIBE)
        engine_call_read_key(&call->base);
    engine_call_begin(&call->base);
}

void call_move(struct call *call, struct calls *list) {
    if (call->home) {
        *(call->previous ? &call->previous->next : &call->home->first) = call->next;
        *(call->next ? &call->next->previous : &call->home->last) = call->previous;
    }
    call->home = list;
    call->next = NULL;
    call->previous = list ? list->last : NULL;
    if (!list)
        return;
    *(list->last ? &list->last->next : &list->first) = call;
    list->last = call;
}

// Gives up the engine's hold, and what the server has of the call.
static void let_go(struct call *call) {
    spin_self *self = call->self;
    if (call->kind == CALL_SUBSCRIBE || call->kind == CALL_CONSUME)
        send_unsubscribe(self, call);
    if (call->kind == CALL_CONSUME)
        for (const struct held *held = call->hold.first; held; held = held->next)
            send_back(self, held->message.reply);
    if (call->kind == CALL_SUBSCRIBE && engine_call_is_over(&call->base))
        keep_add(self, call);
    hold_free(&call->hold);
    table_remove(&self->table, call);
    call_move(call, NULL);
    engine_call_drop(&call->base);
}

static void end(struct call *call, int code, const char *reason) {
    lasting_end(&call->base.lasting, call->base.call, code, reason);
    let_go(call);
}

void call_finish(struct call *call) { end(call, 0, NULL); }

void call_fail(struct call *call, int code, const char *format, ...) {
    char reason[2 * most_reason];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    end(call, code, reason);
}

static void sweep(struct calls *list, int has_all) {
    for (struct call *next, *call = list->first; call; call = next) {
        next = call->next;
        if (has_all || engine_call_is_over(&call->base))
            let_go(call);
    }
}

static void sweep_all(spin_self *self, int has_all) {
    struct calls *const lists[] = {&self->watchers,  &self->subscribers, &self->consumers, &self->unsent,
                                   &self->published, &self->asked,       &self->blocked};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        sweep(lists[i], has_all);
}

void calls_sweep(spin_self *self) { sweep_all(self, 0); }
void calls_drop(spin_self *self) { sweep_all(self, 1); }
