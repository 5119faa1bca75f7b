#include "consume.h"
#include "ack.h"
#include "deliver.h"
#include "emit.h"
#include "../instance.h"
#include "../link/send.h"
#include "pull.h"

void consume_take(spin_self *self, struct call *call) {
    call_move(call, &self->consumers);
    if (table_add(&self->table, call))
        send_subscribe(self, call);
    else
        call_fail(call, SPIN_NO_MEMORY, "no memory");
}

void consume_hear(struct call *call, const struct message *message) {
    struct ack ack;
    if (!ack_is(message->reply)) {
        pull_hear(call, message);
        return;
    }
    if (!ack_read(message->reply, &ack)) {
        consume_drop(call, message,
                     "a message has a subject for its acknowledgement that is not known, and is dropped");
        return;
    }
    pull_note_message(call);
    // A server sends no more than the call has asked for.
    if (call->hold.count >= call->batch || deliver_to(call, message) == DELIVERY_FAILED)
        send_back(call->self, message->reply);
}

void consume_drop(struct call *call, const struct message *message, const char *why) {
    if (!call->hold.has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, why, spin_field_text("stream", call->subject.data),
                      spin_field_text("consumer", call->name.data));
    call->hold.has_complained = 1;
    if (ack_is(message->reply))
        pull_note_message(call);
    else
        pull_wait(call, NULL); // It was the answer to a request.
}

int consume_refuse(spin_self *self, spin_string subject) {
    for (struct call *call = self->consumers.first; call; call = call->next) {
        if (!pull_has_subject(call, subject))
            continue;
        pull_wait(call, "the server refuses the request for messages");
        return 1;
    }
    return 0;
}

void consume_refuse_all(spin_self *self) {
    while (self->consumers.first)
        call_fail(self->consumers.first, NATS_REFUSED,
                  "the server refuses the subscription for messages (setting `inbox`)");
}

void consume_lost(spin_self *self) {
    for (struct call *call = self->consumers.first; call; call = call->next) {
        call->pull.left = 0;
        call->pull.is_known = 0;
        call->pull.due = 0;
    }
}

static void step(struct call *call, int64_t now) {
    struct pull *pull = &call->pull;
    if (call->hold.first && !deliver_held(call))
        return;
    if (pull->is_untold && lasting_can_emit(&call->base.lasting) &&
        engine_call_continues(&call->base, emit_unavailable(call)))
        pull->is_untold = 0;
    if (call->self->link.state != LINK_IS_UP || !lasting_can_emit(&call->base.lasting) || pull->due > now)
        return;
    if (pull->left > 0)
        pull_wait(call, "the server says nothing of the request for messages");
    else
        pull_ask(call, now);
}

int64_t consume_step(spin_self *self, int64_t now) {
    int64_t due = INT64_MAX;
    for (struct call *call = self->consumers.first; call; call = call->next) {
        if (engine_call_is_over(&call->base))
            continue;
        step(call, now);
        if (!lasting_can_emit(&call->base.lasting))
            continue; // The host rings when there is room.
        int64_t next = call->hold.first ? now + DELIVERY_RETRY : call->pull.due;
        if ((call->hold.first || self->link.state == LINK_IS_UP) && next < due)
            due = next;
    }
    return due;
}
