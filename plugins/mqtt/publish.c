#include "publish.h"
#include "call.h"
#include "client.h"
#include "settings.h"
#include <stdio.h>

static void publish(spin_call *call, spin_self *self, spin_string topic, spin_bytes payload, int32_t qos,
                    bool retained) {
    char reason[128];
    const char *why = topic_fault(topic);
    if (!why && (qos < 0 || qos > 2))
        why = "the QoS must be 0, 1 or 2";
    if (!why && payload.size > (size_t)self->config->largest_message) {
        snprintf(reason, sizeof reason, "the payload is larger than %lld bytes (setting `largest_message`)",
                 (long long)self->config->largest_message);
        why = reason;
    }
    if (why)
        spin_fail(call, SPIN_BAD_VALUE, why);
    else
        call_begin(self, (struct call){.token = call,
                                       .kind = CALL_PUBLISH,
                                       .qos = qos,
                                       .retained = retained,
                                       .topic = topic,
                                       .payload = payload});
}
SPIN_EFFECT(void, publish,
            (spin_call *call, spin_self *self, spin_string topic, spin_bytes payload, int32_t qos,
             bool retained),
            "Publishes a message. It ends when the broker has it, and emits nothing.");

static struct sending *unused(spin_self *self) {
    for (size_t i = 0; i < most_sendings; i++)
        if (!self->sendings[i].is_used)
            return &self->sendings[i];
    return NULL;
}

// 0 when the others must wait.
static int send_one(spin_self *self, struct call *call) {
    struct sending *sending = unused(self);
    if (!sending)
        return 0;
    int mid;
    int error = mosquitto_publish(self->client, &mid, call->topic.data, (int)call->payload.size,
                                  call->payload.data, call->qos, call->retained);
    if (error == MOSQ_ERR_SUCCESS) {
        call->is_sent = 1;
        *sending = (struct sending){1, mid, call->qos, call};
    } else {
        call_fail(call, error == MOSQ_ERR_NOMEM ? SPIN_NO_MEMORY : MQTT_NO_CONNECTION,
                  "the message cannot be sent: %s", mosquitto_strerror(error));
    }
    return 1;
}

void publish_send(spin_self *self) {
    int is_up = self->link.state == LINK_IS_UP, has_place = is_up;
    for (struct call *call = self->calls; call && (has_place || !is_up); call = call->next) {
        if (call->kind != CALL_PUBLISH || call->is_sent || atomic_load(&call->lasting.is_over))
            continue;
        if (is_up)
            has_place = send_one(self, call);
        else if (call->qos == 0)
            call_fail(call, MQTT_NO_CONNECTION, "there is no connection: %s", self->link.reason);
    }
}

void publish_is_done(spin_self *self, int mid) {
    for (size_t i = 0; i < most_sendings; i++) {
        struct sending *sending = &self->sendings[i];
        if (!sending->is_used || sending->mid != mid)
            continue;
        if (sending->call)
            call_finish(sending->call);
        *sending = (struct sending){0};
        return;
    }
}

void publish_is_lost(spin_self *self) {
    for (size_t i = 0; i < most_sendings; i++) {
        struct sending *sending = &self->sendings[i];
        if (!sending->is_used || sending->qos > 0)
            continue;
        if (sending->call)
            call_fail(sending->call, MQTT_NO_CONNECTION,
                      "the connection was lost before the message was sent: %s", self->link.reason);
        *sending = (struct sending){0};
    }
}

void publish_take_back(spin_self *self) {
    for (size_t i = 0; i < most_sendings; i++) {
        if (self->sendings[i].call)
            self->sendings[i].call->is_sent = 0;
        self->sendings[i] = (struct sending){0};
    }
}

void sendings_forget(const struct call *call) {
    struct sending *sendings = call->self->sendings;
    for (size_t i = 0; i < most_sendings; i++)
        if (sendings[i].call == call)
            sendings[i].call = NULL;
}
