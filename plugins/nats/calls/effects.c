// The effects that talk to others.
#include "ack.h"
#include "../instance.h"
#include "../wire/subject.h"
#include "../../common/header.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_batch = 1000 };

static void subscribe(spin_call *call, spin_self *self, spin_string subject, spin_string queue) {
    const char *why = pattern_fault(subject);
    if (!why && queue.size > 0 && subject_fault(queue))
        why = "the queue is not one word";
    if (why) {
        spin_fail(call, SPIN_BAD_VALUE, why);
        return;
    }
    call_begin(self, (struct call){.base.call = call,
                                   .kind = CALL_SUBSCRIBE,
                                   .subject = subject,
                                   .name = queue,
                                   .is_repeated = spin_run_attempt(call) > 1});
}
SPIN_EFFECT(void, subscribe, (spin_call *call, spin_self *self, spin_string subject, spin_string queue),
            "Emits `message` for each message whose subject fits, and `missed` in place of those that it drops, "
            "until it is cancelled.");

static void consume(spin_call *call, spin_self *self, spin_string stream, spin_string consumer,
                    int64_t batch) {
    if (!is_subject_part(stream) || !is_subject_part(consumer))
        spin_fail(call, SPIN_BAD_VALUE,
                  "the names of a stream and a consumer have no dots, spaces and wildcards");
    else if (batch < 1 || batch > most_batch)
        spin_fail(call, SPIN_BAD_VALUE, "a batch has 1 to 1000 messages");
    else
        call_begin(self, (struct call){.base.call = call,
                                       .kind = CALL_CONSUME,
                                       .subject = stream,
                                       .name = consumer,
                                       .batch = batch});
}
SPIN_EFFECT(void, consume,
            (spin_call *call, spin_self *self, spin_string stream, spin_string consumer, int64_t batch),
            "Emits `delivered` for each message that a consumer of JetStream has, and `unavailable` while the "
            "consumer cannot be asked, until it is cancelled.");

static const char version[] = "NATS/1.0\r\n", id_name[] = "Nats-Msg-Id";

// Why one of the headers is not valid. NULL: the bytes of all, without the empty line.
static const char *measure(spin_list_string headers, int has_id, char *reason, size_t capacity,
                           size_t *size) {
    *size = 0;
    for (size_t i = 0; i < headers.count; i++) {
        if (!header_is_text(headers.items[i], reason, capacity))
            return reason;
        if (has_id && has_name(headers.items[i].data, id_name))
            return "the plugin sets the header `Nats-Msg-Id` itself";
        *size += headers.items[i].size + 2;
    }
    return NULL;
}

static char *put(char *target, const char *text, size_t size) {
    memcpy(target, text, size);
    return target + size;
}

// Begins a call that sends a message, with its headers as one text.
static void begin(struct call order, spin_self *self, spin_list_string headers, const char *id) {
    char reason[128];
    size_t size, id_size = id ? strlen(id) : 0;
    const char *why = subject_fault(order.subject);
    if (!why)
        why = measure(headers, id != NULL, reason, sizeof reason, &size);
    if (!why && size + id_size + order.data.size > (size_t)self->config->largest_message) {
        snprintf(reason, sizeof reason, "the message is larger than %lld bytes (setting `largest_message`)",
                 (long long)self->config->largest_message);
        why = reason;
    }
    char *header = why ? NULL : malloc(size + id_size + sizeof version + sizeof id_name + 8), *next = header;
    if (why || !header) {
        spin_fail(order.base.call, why ? SPIN_BAD_VALUE : SPIN_NO_MEMORY, why ? why : "no memory");
        return;
    }
    next = put(next, version, sizeof version - 1);
    if (id)
        next += sprintf(next, "%s: %s\r\n", id_name, id);
    for (size_t i = 0; i < headers.count; i++) {
        next = put(next, headers.items[i].data, headers.items[i].size);
        next = put(next, "\r\n", 2);
    }
    next = put(next, "\r\n", 2);
    if (id || headers.count > 0)
        order.header = (spin_string){header, (size_t)(next - header)};
    call_begin(self, order);
    free(header);
}

static void publish(spin_call *call, spin_self *self, spin_string subject, spin_bytes data,
                    spin_list_string headers) {
    begin((struct call){.base.call = call, .kind = CALL_PUBLISH, .subject = subject, .data = data}, self,
          headers, NULL);
}
SPIN_EFFECT(void, publish,
            (spin_call *call, spin_self *self, spin_string subject, spin_bytes data, spin_list_string headers),
            "Publishes a message. It ends when the server has it, and emits nothing.");

static void request(spin_call *call, spin_self *self, spin_string subject, spin_bytes data,
                    spin_list_string headers) {
    begin((struct call){.base.call = call, .kind = CALL_REQUEST, .subject = subject, .data = data}, self,
          headers, NULL);
}
SPIN_EFFECT(void, request,
            (spin_call *call, spin_self *self, spin_string subject, spin_bytes data, spin_list_string headers),
            "Publishes a message, and emits `answered` with the first answer to it.");

// A server drops spaces at the begin, so that another identifier would be the same.
static int is_id(spin_string id) {
    if (id.size > 0 && (id.data[0] == ' ' || id.data[id.size - 1] == ' '))
        return 0;
    for (size_t i = 0; i < id.size; i++)
        if ((unsigned char)id.data[i] < ' ' || id.data[i] == 0x7f)
            return 0;
    return id.size <= 255;
}

static void store(spin_call *call, spin_self *self, spin_string subject, spin_bytes data,
                  spin_list_string headers, spin_string id) {
    char key[SPIN_RUN_KEY_SIZE];
    if (!is_id(id)) {
        spin_fail(call, SPIN_BAD_VALUE,
                  "the identifier has more than 255 bytes, a space at an end, or a control character");
        return;
    }
    // The key of the run is the same when the host makes the call again.
    if (id.size == 0 && spin_run_key(call, key, sizeof key) != SPIN_OK)
        return; // The call is over.
    begin((struct call){.base.call = call, .kind = CALL_STORE, .subject = subject, .data = data}, self,
          headers, id.size > 0 ? id.data : key);
}
SPIN_EFFECT(void, store,
            (spin_call *call, spin_self *self, spin_string subject, spin_bytes data, spin_list_string headers,
             spin_string id),
            "Has a stream of JetStream store a message, once for each identifier, and emits `stored`.");

// Says what has become of a message.
static void tell(spin_call *call, spin_self *self, spin_string message, const char *what) {
    if (!ack_is(message))
        spin_fail(call, SPIN_BAD_VALUE, "this is not the `message` of `delivered`");
    else
        call_begin(self, (struct call){.base.call = call,
                                       .kind = CALL_ACKNOWLEDGE,
                                       .subject = message,
                                       .data = {(const uint8_t *)what, strlen(what)}});
}

static void acknowledge(spin_call *call, spin_self *self, spin_string message) {
    tell(call, self, message, "+ACK");
}
SPIN_EFFECT(void, acknowledge, (spin_call *call, spin_self *self, spin_string message),
            "Says that a message is done. It ends when the server knows it, and emits nothing.");

static void negative_acknowledge(spin_call *call, spin_self *self, spin_string message, spin_duration delay) {
    char what[64];
    if (delay < 0) {
        spin_fail(call, SPIN_BAD_VALUE, "the delay is negative");
        return;
    }
    snprintf(what, sizeof what, "-NAK {\"delay\":%lld}", (long long)delay);
    tell(call, self, message, delay > 0 ? what : "-NAK");
}
SPIN_EFFECT(void, negative_acknowledge,
            (spin_call *call, spin_self *self, spin_string message, spin_duration delay),
            "Asks for a message once more, after this time. It emits nothing.");

static void in_progress(spin_call *call, spin_self *self, spin_string message) {
    tell(call, self, message, "+WPI");
}
SPIN_EFFECT(void, in_progress, (spin_call *call, spin_self *self, spin_string message),
            "Says that the work on a message takes longer. It emits nothing.");

static void terminate(spin_call *call, spin_self *self, spin_string message) {
    tell(call, self, message, "+TERM");
}
SPIN_EFFECT(void, terminate, (spin_call *call, spin_self *self, spin_string message),
            "Says that a message is never to come again. It emits nothing.");
