#include "hold.h"
#include "client.h"
#include "settings.h"
#include <stdlib.h>
#include <string.h>

void hold_init(struct hold *hold) { hold->last = &hold->first; }

void hold_free(struct hold *hold) {
    while (hold->first)
        hold_remove(hold);
    hold_is_acknowledged(hold);
}

int hold_add(struct hold *hold, const struct mosquitto_message *source) {
    size_t topic_size = strlen(source->topic), size = (size_t)source->payloadlen;
    struct message *message = malloc(sizeof *message + topic_size + 1 + size);
    if (!message)
        return 0;
    char *topic = (char *)(message + 1);
    uint8_t *payload = (uint8_t *)topic + topic_size + 1;
    memcpy(topic, source->topic, topic_size + 1);
    if (size > 0)
        memcpy(payload, source->payload, size);
    *message = (struct message){.number = ++hold->count,
                                .mid = source->mid,
                                .qos = source->qos,
                                .retained = source->retain,
                                .topic = {topic, topic_size},
                                .payload = {payload, size}};
    *hold->last = message;
    hold->last = &message->next;
    return 1;
}

void hold_remove(struct hold *hold) {
    struct message *message = hold->first;
    hold->first = message->next;
    if (!hold->first)
        hold->last = &hold->first;
    if (message->qos != 1 || message->mid == 0) {
        free(message);
        return;
    }
    message->next = hold->taken;
    hold->taken = message;
}

void hold_is_acknowledged(struct hold *hold) {
    for (struct message *message; (message = hold->taken);) {
        hold->taken = message->next;
        free(message);
    }
}

void hold_is_lost(struct hold *hold) {
    hold_is_acknowledged(hold);
    for (struct message *next = hold->first; next; next = next->next)
        next->mid = 0;
}

/* What precedes a topic with its NUL and a payload. */
struct head {
    uint8_t qos, retained;
    uint16_t topic_size;
    uint32_t payload_size;
};

spin_status hold_save(const spin_self *self, spin_saving *saving) {
    for (const struct message *message = self->hold.first; message; message = message->next) {
        // The broker of a session sends those of QoS 1 again that have come in the last connection: they have no
        // acknowledgement yet. It may have lost the session of an earlier one.
        if (self->config->keeps_session && message->qos == 1 && message->mid != 0)
            continue;
        struct head head = {(uint8_t)message->qos, message->retained, (uint16_t)message->topic.size,
                            (uint32_t)message->payload.size};
        spin_status status = spin_write(saving, &head, sizeof head);
        if (status == SPIN_OK)
            status = spin_write(saving, message->topic.data, message->topic.size + 1);
        if (status == SPIN_OK)
            status = spin_write(saving, message->payload.data, message->payload.size);
        if (status != SPIN_OK)
            return status;
    }
    return SPIN_OK;
}

int hold_restore(spin_self *self, const uint8_t *data, size_t size) {
    for (struct head head; size > 0;) {
        if (size < sizeof head)
            return 0;
        memcpy(&head, data, sizeof head);
        data += sizeof head;
        size -= sizeof head;
        const char *topic = (const char *)data;
        if (size < (size_t)head.topic_size + 1 || size - head.topic_size - 1 < head.payload_size ||
            head.qos > 2 || head.retained > 1 ||
            strnlen(topic, (size_t)head.topic_size + 1) != head.topic_size ||
            topic_fault((spin_string){topic, head.topic_size}) || head.payload_size > INT32_MAX)
            return 0;
        data += head.topic_size + 1;
        struct mosquitto_message message = {.topic = (char *)(uintptr_t)topic,
                                            .payload = (void *)(uintptr_t)data,
                                            .payloadlen = (int)head.payload_size,
                                            .qos = head.qos,
                                            .retain = head.retained};
        if (!hold_add(&self->hold, &message))
            return 0;
        data += head.payload_size;
        size -= head.topic_size + 1u + head.payload_size;
    }
    return 1;
}
