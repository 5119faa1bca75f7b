#include "call.h"
#include "client.h"
#include "subscription.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct call *call_of(struct lasting *lasting) {
    return (struct call *)((char *)lasting - offsetof(struct call, lasting));
}

static void release(struct lasting *lasting) {
    struct call *call = call_of(lasting);
    if (!atomic_exchange(&call->is_waiting, 0))
        return;
    pthread_mutex_lock(&call->self->turn);
    call->self->publish_count--;
    pthread_mutex_unlock(&call->self->turn);
}

static void ring(struct lasting *lasting) { client_ring(call_of(lasting)->self); }

static void discard(struct lasting *lasting) {
    struct call *call = call_of(lasting);
    spin_self *self = call->self;
    pthread_mutex_lock(&self->turn);
    if (--self->call_count == 0)
        pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->turn);
    free(call);
}

static struct call *copy(struct call order) {
    struct call *call = malloc(sizeof *call + order.topic.size + 1 + order.payload.size);
    if (!call)
        return NULL;
    *call = order;
    char *topic = (char *)(call + 1);
    uint8_t *payload = (uint8_t *)topic + order.topic.size + 1;
    if (order.topic.size > 0)
        memcpy(topic, order.topic.data, order.topic.size);
    topic[order.topic.size] = 0;
    if (order.payload.size > 0)
        memcpy(payload, order.payload.data, order.payload.size);
    call->topic.data = topic;
    call->payload.data = payload;
    return call;
}

// Counts a call; 0 when too many publish.
static int count(spin_self *self, struct call *call) {
    int waits = call->kind == CALL_PUBLISH;
    pthread_mutex_lock(&self->turn);
    int fits = !waits || self->publish_count < self->config->most_waiting;
    self->call_count += (size_t)fits;
    self->publish_count += fits && waits;
    pthread_mutex_unlock(&self->turn);
    atomic_init(&call->is_waiting, waits);
    return fits;
}

void call_begin(spin_self *self, struct call order) {
    static const struct lasting_kind functions = {release, ring, ring, discard};
    struct call *call = copy(order);
    if (!call) {
        spin_fail(order.token, SPIN_NO_MEMORY, "no memory");
        return;
    }
    if (!count(self, call)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%d messages wait already (setting `most_waiting`)",
                 self->config->most_waiting);
        spin_fail(call->token, MQTT_TOO_MANY, reason);
        free(call);
        return;
    }
    call->self = self;
    lasting_init(&call->lasting, &functions);
    if (!lasting_begin(&call->lasting, call->token)) {
        lasting_drop(&call->lasting);
        return;
    }
    pthread_mutex_lock(&self->turn);
    *self->last_new = call;
    self->last_new = &call->next;
    pthread_mutex_unlock(&self->turn);
    client_ring(self);
}

static void let_go(struct call *call) {
    if (call->subscription)
        subscription_leave(call);
    sendings_forget(call);
    lasting_drop(&call->lasting);
}

int calls_take(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    int is_open = self->is_open;
    struct call *added = self->first_new;
    self->first_new = NULL;
    self->last_new = &self->first_new;
    pthread_mutex_unlock(&self->turn);
    *self->last_call = added;
    for (struct call *call = added; call; call = call->next)
        if (call->kind == CALL_SUBSCRIBE && !atomic_load(&call->lasting.is_over))
            subscription_join(call);
    struct call **link = &self->calls;
    for (struct call *call; (call = *link);) {
        if (!atomic_load(&call->lasting.is_over)) {
            link = &call->next;
            continue;
        }
        *link = call->next;
        let_go(call);
    }
    self->last_call = link;
    return is_open;
}

void calls_drop(spin_self *self) {
    calls_take(self);
    for (struct call *call; (call = self->calls);) {
        self->calls = call->next;
        let_go(call);
    }
    self->last_call = &self->calls;
}

static void end(struct call *call, int code, const char *reason) {
    lasting_end(&call->lasting, call->token, code, reason);
    lasting_mark(&call->lasting);
}

void call_finish(struct call *call) { end(call, 0, NULL); }

void call_fail(struct call *call, int code, const char *format, ...) {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    end(call, code, reason);
}

int call_continues(struct call *call, spin_status status) {
    return lasting_continues(&call->lasting, call->token, status);
}
