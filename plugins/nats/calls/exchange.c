#include "exchange.h"
#include "deliver.h"
#include "../instance.h"
#include "../link/send.h"
#include "../wire/json.h"
#include "../wire/subject.h"
#include <stdio.h>

/* How many bytes that a server has not taken are enough for now. */
enum { enough = 1 << 18 };

void exchange_take(spin_self *self, struct call *call) {
    call->due = spin_monotonic() + self->config->request_timeout;
    call_move(call, &self->unsent);
    if (call->kind != CALL_PUBLISH && !table_add(&self->table, call))
        call_fail(call, SPIN_NO_MEMORY, "no memory");
}

static const char answers_are_refused[] = "the server refuses the subscription for answers (setting `inbox`)";

// Whether a ping must follow, which says that the server has read the message.
static int send_one(spin_self *self, struct call *call) {
    int64_t size = (int64_t)(call->header.size + call->data.size);
    if (size > self->link.max_payload) {
        call_fail(call, SPIN_BAD_VALUE, "the message has %lld bytes, and the server takes %lld at most",
                  (long long)size, (long long)self->link.max_payload);
        return 0;
    }
    if (call->kind != CALL_PUBLISH && self->link.has_no_answers) {
        call_fail(call, NATS_REFUSED, "%s", answers_are_refused);
        return 0;
    }
    send_message(self, call);
    call->seen = self->link.pings + 1;
    call_move(call, call->kind == CALL_PUBLISH ? &self->published : &self->asked);
    return call->kind == CALL_PUBLISH;
}

// Fails the calls of a list that were due.
static void check(struct calls *list, int64_t now, int code, const char *why) {
    for (struct call *call; (call = list->first) && call->due <= now;)
        call_fail(call, code, "%s", why);
}

static int64_t sooner(int64_t due, const struct calls *list) {
    return list->first && list->first->due < due ? list->first->due : due;
}

int64_t exchange_step(spin_self *self, int64_t now) {
    char reason[most_reason + 64];
    int is_up = self->link.state == LINK_IS_UP, needs_ping = 0;
    snprintf(reason, sizeof reason, "%s%s",
             is_up ? "the server takes no messages" : "there is no connection: ",
             self->link.reason); // which is empty then
    check(&self->unsent, now, is_up ? NATS_TIMEOUT : NATS_NO_CONNECTION, reason);
    check(&self->published, now, NATS_TIMEOUT, "the server does not say that it has the message");
    check(&self->asked, now, NATS_TIMEOUT, "no answer has come (setting `request_timeout`)");
    while (is_up && self->unsent.first && pieces_size(&self->link.out) < enough)
        needs_ping |= send_one(self, self->unsent.first);
    if (needs_ping)
        link_ping(self);
    return sooner(sooner(sooner(INT64_MAX, &self->unsent), &self->published), &self->asked);
}

void exchange_confirm(spin_self *self, uint64_t pings) {
    for (struct call *call; (call = self->published.first) && call->seen <= pings;)
        call_finish(call);
}

// Why a stream does not store a message; 0 if it does.
static int is_refused(const struct message *message, char *reason, size_t capacity) {
    spin_string answer = {(const char *)message->data.data, message->data.size};
    spin_string error = json_member(answer, "error");
    if (!error.data && json_member(answer, "stream").data)
        return 0;
    size_t size = json_text(json_member(error, "description"), reason, capacity);
    if (size == 0)
        snprintf(reason, capacity, "the answer is not one of a stream");
    return 1;
}

// Emits the answer, now or when there is room.
static void pass(struct call *call, const struct message *message) {
    enum delivery delivery = deliver_to(call, message);
    if (engine_call_is_over(&call->base))
        return;
    if (delivery == DELIVERY_IS_TAKEN)
        call_finish(call);
    else if (delivery == DELIVERY_WAITS)
        call_move(call, &call->self->blocked);
    else
        call_fail(call, SPIN_NO_MEMORY, "there is no memory for the answer");
}

void exchange_answer(struct call *call, const struct message *message) {
    static const char *const missing[] = {[CALL_REQUEST] = "nobody answers requests of this subject",
                                          [CALL_STORE] = "no stream stores messages of this subject",
                                          [CALL_ACKNOWLEDGE] =
                                              "the consumer of the message is not there any more"};
    char reason[most_reason];
    if (message_status(message) == 503 && message->data.size == 0)
        call_fail(call, NATS_NO_RESPONDERS, "%s", missing[call->kind]);
    else if (call->kind == CALL_ACKNOWLEDGE)
        call_finish(call);
    else if (call->kind == CALL_STORE && is_refused(message, reason, sizeof reason))
        call_fail(call, NATS_REFUSED, "the stream does not store the message: %s", reason);
    else
        pass(call, message);
}

static int refuse(struct calls *list, spin_string subject) {
    for (struct call *call = list->first; call; call = call->next)
        if (is_same(call->subject, subject)) {
            call_fail(call, NATS_REFUSED, "the server refuses messages with the subject `%.200s`",
                      call->subject.data);
            return 1;
        }
    return 0;
}

int exchange_refuse(spin_self *self, spin_string subject) {
    return refuse(&self->published, subject) || refuse(&self->asked, subject);
}

void exchange_refuse_answers(spin_self *self) {
    self->link.has_no_answers = 1;
    while (self->asked.first)
        call_fail(self->asked.first, NATS_REFUSED, "%s", answers_are_refused);
}

static void move_all(struct calls *from, struct calls *to) {
    while (from->first)
        call_move(from->first, to);
}

void exchange_lost(spin_self *self) {
    static const char why[] =
        "the connection was lost, and it is not known whether the server has the message";
    struct calls again = {0};
    while (self->published.first)
        call_fail(self->published.first, NATS_NO_CONNECTION, "%s", why);
    for (struct call *call; (call = self->asked.first);) {
        if (call->kind == CALL_REQUEST)
            call_fail(call, NATS_NO_CONNECTION, "%s", why);
        else
            call_move(call, &again);
    }
    // They have begun before all others, and their numbers or identifiers let them be done once.
    move_all(&self->unsent, &again);
    move_all(&again, &self->unsent);
}
