#include "deliver.h"
#include "consume.h"
#include "emit.h"
#include "exchange.h"
#include "../instance.h"
#include "../link/send.h"
#include "ack.h"
#include "../wire/subject.h"
#include <string.h>

enum delivery deliver_to(struct call *call, const struct message *message) {
    if (!call->hold.first && call->hold.missed == 0 && lasting_can_emit(&call->base.lasting)) {
        spin_status status = emit_message(call, message);
        if (status == SPIN_NO_MEMORY)
            return DELIVERY_FAILED;
        if (engine_call_continues(&call->base, status))
            return DELIVERY_IS_TAKEN;
        if (status != SPIN_FULL)
            return DELIVERY_FAILED; // The call was over before the message came.
    }
    // Also for a call that is cancelled now: its next run gets the message, or the server gets it back.
    return hold_add(&call->hold, message) ? DELIVERY_WAITS : DELIVERY_FAILED;
}

// Emits how many messages were dropped; 0 if it cannot.
static int tell_missed(struct call *call, int64_t *missed) {
    if (*missed > 0 && !engine_call_continues(&call->base, emit_missed(call, *missed)))
        return 0;
    *missed = 0;
    return 1;
}

int deliver_held(struct call *call) {
    struct hold *hold = &call->hold;
    while (hold->first && lasting_can_emit(&call->base.lasting)) {
        if (!tell_missed(call, &hold->first->missed))
            return 0;
        // Without memory for its headers it stays until there is some.
        spin_status status = emit_message(call, &hold->first->message);
        if (status == SPIN_NO_MEMORY || !engine_call_continues(&call->base, status))
            return 0;
        hold_pop(hold);
    }
    return !hold->first && lasting_can_emit(&call->base.lasting) && tell_missed(call, &hold->missed);
}

static void drop(struct call *call, const char *why) {
    if (!call->hold.has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, why, spin_field_text("subject", call->subject.data));
    call->hold.has_complained = 1;
    call->hold.missed++;
    call_move(call, &call->self->blocked);
}

static void hear(struct call *call, const struct message *message) {
    const spin_config *config = call->self->config;
    const struct hold *hold = &call->hold;
    if (hold->first && (hold->count >= config->most_held || hold->bytes >= (size_t)config->most_held_bytes)) {
        drop(call, "a loop has no room for messages, which are dropped");
        return;
    }
    enum delivery delivery = deliver_to(call, message);
    if (delivery == DELIVERY_FAILED && !engine_call_is_over(&call->base))
        drop(call, "there is no memory for messages, which are dropped");
    else if (delivery == DELIVERY_WAITS)
        call_move(call, &call->self->blocked);
}

// The call that a message is for; NULL if it is over.
static struct call *call_for(const spin_self *self, const struct frame *frame) {
    int is_answer = frame->ticket == INBOX_TICKET;
    struct call *call =
        table_find(&self->table, is_answer ? subject_number(frame->message.subject) : frame->ticket);
    if (!call || engine_call_is_over(&call->base) || is_answer != (call->home == &self->asked))
        return NULL;
    return call;
}

void deliver_too_large(spin_self *self, const struct frame *frame) {
    static const char why[] = "a message is larger than the setting `largest_message`, and is dropped";
    struct call *call = call_for(self, frame);
    if (!call)
        return;
    if (frame->ticket == INBOX_TICKET)
        call_fail(call, NATS_REFUSED, "the answer is larger than the setting `largest_message`");
    else if (call->kind == CALL_SUBSCRIBE)
        drop(call, why);
    else
        consume_drop(call, &frame->message, why);
}

// Whether the setting `largest_message` is about it. It is not about the answers of JetStream to the plugin itself.
static int is_too_large(const struct call *call, const struct message *message) {
    int is_for_loop = call->kind == CALL_CONSUME ? ack_is(message->reply)
                                                 : call->kind == CALL_SUBSCRIBE || message->data.size > 0;
    return is_for_loop && call->kind != CALL_STORE &&
           message->header.size + message->data.size > (size_t)call->self->config->largest_message;
}

void deliver(spin_self *self, const struct frame *frame) {
    const struct message *message = &frame->message;
    struct call *call = call_for(self, frame);
    if (call && is_too_large(call, message))
        deliver_too_large(self, frame);
    else if (call && frame->ticket == INBOX_TICKET)
        exchange_answer(call, message);
    else if (call && call->kind == CALL_SUBSCRIBE)
        hear(call, message);
    else if (call)
        consume_hear(call, message);
    else if (ack_is(message->reply))
        send_back(self, message->reply); // Another consumer may have it at once.
}

int64_t deliver_blocked(spin_self *self, int64_t now) {
    int64_t due = INT64_MAX;
    for (struct call *next, *call = self->blocked.first; call; call = next) {
        next = call->next;
        int is_empty = lasting_can_emit(&call->base.lasting) && deliver_held(call);
        if (!is_empty && lasting_can_emit(&call->base.lasting))
            due = now + DELIVERY_RETRY;
        if (!is_empty || engine_call_is_over(&call->base))
            continue;
        call->hold.has_complained = 0;
        if (call->kind == CALL_SUBSCRIBE)
            call_move(call, &self->subscribers);
        else
            call_finish(call);
    }
    return due;
}
