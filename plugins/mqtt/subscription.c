#include "subscription.h"
#include "call.h"
#include "client.h"
#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(message, (spin_string, topic), (spin_bytes, payload), (int32_t, qos), (bool, retained));

static void subscribe(spin_call *call, spin_self *self, spin_string topic, int32_t qos) {
    const char *why = filter_fault(topic);
    if (!why && (qos < 0 || qos > 2))
        why = "the QoS must be 0, 1 or 2";
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        call_begin(self, (struct call){.token = call, .kind = CALL_SUBSCRIBE, .qos = qos, .topic = topic});
}
SPIN_EFFECT(void, subscribe, (spin_call *call, spin_self *self, spin_string topic, int32_t qos),
            "Emits `message` for each message whose topic fits, until it is cancelled.");

static struct subscription *make(spin_self *self, spin_string filter) {
    struct subscription *made = calloc(1, sizeof *made + filter.size + 1);
    if (!made)
        return NULL;
    memcpy(made->filter, filter.data, filter.size);
    made->next = self->subscriptions;
    self->subscriptions = made;
    return made;
}

void subscription_join(struct call *call) {
    struct subscription *found = call->self->subscriptions;
    while (found && strcmp(found->filter, call->topic.data) != 0)
        found = found->next;
    if (!found)
        found = make(call->self, call->topic);
    if (!found) {
        call_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    call->subscription = found;
    found->calls++;
    if (call->qos > found->qos)
        found->qos = call->qos;
    // Also when the broker has it: the call is to get the messages that the broker retains.
    found->state = SUBSCRIPTION_IS_WANTED;
}

void subscription_leave(struct call *call) {
    struct subscription *left = call->subscription;
    call->subscription = NULL;
    if (--left->calls == 0)
        left->idle_since = monotonic_now();
}

int64_t subscriptions_send(spin_self *self) {
    int is_up = self->link.state == LINK_IS_UP;
    int64_t now = monotonic_now(), due = INT64_MAX;
    int64_t patience = self->config->keeps_session ? SUBSCRIPTION_PATIENCE : 0;
    for (struct subscription **link = &self->subscriptions, *next; (next = *link);) {
        int64_t end = next->calls == 0 ? next->idle_since + patience : INT64_MAX;
        // A session keeps what it has until the broker can be told.
        if (end <= now && (is_up || !self->config->keeps_session)) {
            if (is_up)
                mosquitto_unsubscribe(self->client, NULL, next->filter);
            *link = next->next;
            free(next);
            continue;
        }
        if (end > now && end < due)
            due = end;
        if (is_up && next->calls > 0 && next->state == SUBSCRIPTION_IS_WANTED &&
            mosquitto_subscribe(self->client, &next->mid, next->filter, next->qos) == MOSQ_ERR_SUCCESS)
            next->state = SUBSCRIPTION_IS_ASKED;
        link = &next->next;
    }
    return due;
}

void subscription_is_answered(spin_self *self, int mid, int is_granted) {
    struct subscription *found = self->subscriptions;
    while (found && (found->state != SUBSCRIPTION_IS_ASKED || found->mid != mid))
        found = found->next;
    if (!found)
        return;
    found->state = SUBSCRIPTION_IS_THERE;
    for (struct call *call = self->calls; call && !is_granted; call = call->next)
        if (call->subscription == found && !atomic_load(&call->lasting.is_over))
            call_fail(call, MQTT_REFUSED, "the broker refuses the subscription to `%.200s`", found->filter);
}

void subscriptions_are_lost(spin_self *self) {
    for (struct subscription *next = self->subscriptions; next; next = next->next)
        next->state = SUBSCRIPTION_IS_WANTED;
}

static int fits(const char *filter, const struct message *message) {
    bool result = false;
    return mosquitto_topic_matches_sub(filter_topic(filter), message->topic.data, &result) ==
               MOSQ_ERR_SUCCESS &&
           result;
}

enum outcome { MESSAGE_IS_TAKEN, MESSAGE_IS_UNWANTED, MESSAGE_WAITS };

static enum outcome emit(spin_self *self, const struct message *message) {
    enum outcome outcome = MESSAGE_IS_UNWANTED;
    for (struct call *call = self->calls; call && outcome != MESSAGE_WAITS; call = call->next) {
        if (!call->subscription || !fits(call->subscription->filter, message))
            continue;
        outcome = MESSAGE_IS_TAKEN;
        if (call->seen >= message->number)
            continue;
        // The thread looks again when there is room, and when the call is gone.
        if (lasting_can_emit(&call->lasting) &&
            call_continues(call, spin_wait_message(call->token, message->topic, message->payload,
                                                   message->qos, message->retained, 0)))
            call->seen = message->number;
        else
            outcome = MESSAGE_WAITS;
    }
    return outcome;
}

// Until when a message waits that no call wants. The broker of a session has kept it for its call, unless it is of
// QoS 0.
static int64_t patience(const spin_self *self, const struct message *message) {
    const struct hold *hold = &self->hold;
    int is_kept = self->config->keeps_session && message->qos > 0;
    int64_t patience = self->calls ? SUBSCRIPTION_SHORT_PATIENCE : SUBSCRIPTION_PATIENCE, due = 0;
    for (const struct subscription *next = self->subscriptions; next; next = next->next)
        if (is_kept && next->idle_since + patience > due && fits(next->filter, message))
            due = next->idle_since + patience;
    return due == 0 && (is_kept || message->number <= hold->restored) ? hold->patience : due;
}

static void complain(spin_self *self, const struct message *message) {
    if (!self->hold.has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, "no call of `subscribe` wants a message, which is dropped",
                      spin_field_text("topic", message->topic.data));
    self->hold.has_complained = 1;
}

int64_t subscriptions_emit(spin_self *self) {
    for (const struct message *message; (message = self->hold.first);) {
        enum outcome outcome = emit(self, message);
        if (outcome == MESSAGE_WAITS)
            return INT64_MAX;
        if (outcome == MESSAGE_IS_UNWANTED) {
            int64_t due = patience(self, message);
            if (due > monotonic_now())
                return due;
            if (self->config->keeps_session)
                complain(self, message);
        }
        hold_remove(&self->hold);
    }
    return INT64_MAX;
}

void subscriptions_free(spin_self *self) {
    for (struct subscription *next; (next = self->subscriptions);) {
        self->subscriptions = next->next;
        free(next);
    }
}
