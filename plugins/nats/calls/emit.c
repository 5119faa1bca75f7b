#include "emit.h"
#include "ack.h"
#include "../instance.h"
#include "../wire/json.h"
#include <string.h>

SPIN_EMITTER(message, (spin_string, subject), (spin_string, reply), (spin_list_nats_header, headers),
             (spin_bytes, data));
SPIN_EMITTER(missed, (int64_t, count));
SPIN_EMITTER(delivered, (spin_string, message), (spin_string, subject), (spin_list_nats_header, headers),
             (spin_bytes, data), (int64_t, sequence), (int64_t, deliveries));
SPIN_EMITTER(unavailable, (spin_string, reason));
SPIN_EMITTER(answered, (spin_list_nats_header, headers), (spin_bytes, data));
SPIN_EMITTER(stored, (spin_string, stream), (int64_t, sequence), (bool, duplicate));

static spin_status emit_stored(struct call *call, spin_bytes data) {
    spin_string answer = {(const char *)data.data, data.size};
    char stream[2 * most_reason]; // A name has 255 bytes at most.
    size_t size = json_text(json_member(answer, "stream"), stream, sizeof stream);
    return spin_wait_stored(call->base.call, (spin_string){stream, size},
                            json_integer(json_member(answer, "seq"), 0),
                            json_is_true(json_member(answer, "duplicate")), 0);
}

spin_status emit_message(struct call *call, const struct message *original) {
    struct scratch *scratch = &call->self->scratch;
    struct message repaired = *original;
    spin_list_nats_header headers;
    struct ack ack;
    if (call->kind == CALL_STORE)
        return emit_stored(call, original->data);
    if (!message_repair(&repaired, scratch) || !message_headers(&repaired, scratch, &headers))
        return SPIN_NO_MEMORY;
    if (call->kind == CALL_REQUEST)
        return spin_wait_answered(call->base.call, headers, repaired.data, 0);
    if (call->kind == CALL_SUBSCRIBE)
        return spin_wait_message(call->base.call, repaired.subject, repaired.reply, headers, repaired.data,
                                 0);
    if (!ack_read(repaired.reply, &ack))
        return SPIN_BAD_VALUE;
    return spin_wait_delivered(call->base.call, repaired.reply, repaired.subject, headers, repaired.data,
                               ack.sequence, ack.deliveries, 0);
}

spin_status emit_missed(struct call *call, int64_t count) {
    return spin_wait_missed(call->base.call, count, 0);
}

spin_status emit_unavailable(struct call *call) {
    const char *reason = call->pull.reason;
    return spin_wait_unavailable(call->base.call, (spin_string){reason, strlen(reason)}, 0);
}
