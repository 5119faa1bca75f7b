#include "call.h"
#include "instance.h"
#include "link/send.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call *call_of(struct lasting *lasting) {
    return (struct call *)((char *)lasting - offsetof(struct call, lasting));
}

static void release(struct lasting *lasting) {
    struct call *call = call_of(lasting);
    atomic_fetch_sub(&call->self->waiting, atomic_exchange(&call->is_waiting, 0));
}

static void over(struct lasting *lasting) { engine_note_end(&call_of(lasting)->self->engine); }

static void ring(struct lasting *lasting) { engine_ring(&call_of(lasting)->self->engine); }

static void discard(struct lasting *lasting) {
    struct call *call = call_of(lasting);
    spin_self *self = call->self;
    free(call);
    engine_forget(&self->engine);
}

// Copies bytes with a NUL behind them; where the next ones go.
static char *copy_bytes(char *target, const void **source, size_t size) {
    if (size > 0)
        memcpy(target, *source, size);
    target[size] = 0;
    *source = target;
    return target + size + 1;
}

static struct call *copy(const struct call *order) {
    size_t size =
        order->subject.size + order->name.size + order->key.size + order->header.size + order->data.size + 5;
    struct call *call = malloc(sizeof *call + size);
    if (!call)
        return NULL;
    *call = *order;
    const void *subject = order->subject.data, *name = order->name.data, *header = order->header.data;
    const void *key = order->key.data, *data = order->data.data;
    char *target = copy_bytes((char *)(call + 1), &subject, order->subject.size);
    target = copy_bytes(target, &name, order->name.size);
    target = copy_bytes(target, &key, order->key.size);
    target = copy_bytes(target, &header, order->header.size);
    copy_bytes(target, &data, order->data.size);
    call->subject.data = subject;
    call->name.data = name;
    call->key.data = key;
    call->header.data = header;
    call->data.data = data;
    return call;
}

// Counts a call that sends something; 0 when there are too many.
static int count(spin_self *self, struct call *call) {
    int waits = call->kind >= CALL_PUBLISH;
    atomic_init(&call->is_waiting, waits);
    if (!waits || atomic_fetch_add(&self->waiting, 1) < self->config->most_waiting)
        return 1;
    atomic_fetch_sub(&self->waiting, 1);
    return 0;
}

void call_begin(spin_self *self, struct call order) {
    static const struct lasting_kind functions = {release, over, ring, discard};
    struct call *call = copy(&order);
    if (!call) {
        spin_fail(order.token, SPIN_NO_MEMORY, "no memory");
        return;
    }
    if (!count(self, call)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%d calls wait already (setting `most_waiting`)",
                 self->config->most_waiting);
        spin_fail(call->token, NATS_TOO_MANY, reason);
        free(call);
        return;
    }
    call->self = self;
    lasting_init(&call->lasting, &functions);
    engine_count(&self->engine);
    if (lasting_begin(&call->lasting, call->token))
        engine_add(&self->engine, &call->lasting);
    else
        lasting_drop(&call->lasting);
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
    if (call->kind == CALL_SUBSCRIBE && call_is_over(call))
        keep_add(self, call);
    hold_free(&call->hold);
    table_remove(&self->table, call);
    call_move(call, NULL);
    lasting_drop(&call->lasting);
}

static void end(struct call *call, int code, const char *reason) {
    lasting_end(&call->lasting, call->token, code, reason);
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

int call_continues(struct call *call, spin_status status) {
    return lasting_continues(&call->lasting, call->token, status);
}

int call_is_over(const struct call *call) { return atomic_load(&call->lasting.is_over); }

static void sweep(struct calls *list, int has_all) {
    for (struct call *next, *call = list->first; call; call = next) {
        next = call->next;
        if (has_all || call_is_over(call))
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
