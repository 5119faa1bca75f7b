#include "subscription.h"
#include "instance.h"
#include "link/trouble.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(subscribed);
SPIN_EMITTER(lost, (spin_string, reason));
SPIN_EMITTER(message, (spin_string, channel), (spin_string, pattern), (spin_string, text), (spin_bytes, bytes));

static struct subscription *subscription_of(struct link *link) {
    return (struct subscription *)((char *)link - offsetof(struct subscription, link));
}

static int continues(struct subscription *subscription, spin_status status) {
    int continues = engine_call_continues(&subscription->job->base, status);
    subscription->is_blocked |= !continues;
    return continues;
}

// Emits what the loop must know before the next message; 0 if it must wait.
static int emit_state(struct subscription *subscription) {
    spin_string reason = {subscription->reason, strlen(subscription->reason)};
    if (subscription->is_blocked || engine_call_is_over(&subscription->job->base))
        return 0;
    if (subscription->has_failed &&
        !continues(subscription, spin_wait_lost(subscription->job->base.call, reason, 0)))
        return 0;
    subscription->has_failed = 0;
    if (subscription->has_begun &&
        !continues(subscription, spin_wait_subscribed(subscription->job->base.call, 0)))
        return 0;
    subscription->has_begun = 0;
    return 1;
}

static int can_read(struct link *link) { return !subscription_of(link)->is_blocked; }

static void is_lost(struct link *link) {
    struct subscription *subscription = subscription_of(link);
    subscription->waits = 0;
    // A reason that stays the same is emitted once. The loop does not hear of a connection that is lost already.
    if (subscription->has_begun || strcmp(subscription->reason, link->reason) != 0)
        subscription->has_failed = 1;
    subscription->has_begun = 0;
    snprintf(subscription->reason, sizeof subscription->reason, "%s", link->reason);
    emit_state(subscription);
}

static struct request *make_request(const struct job *job, const char *command, size_t first, size_t count) {
    struct request *request = NULL;
    const char **texts = calloc(count + 1, sizeof *texts);
    size_t *sizes = calloc(count + 1, sizeof *sizes);
    if (texts && sizes) {
        texts[0] = command;
        sizes[0] = strlen(command);
        memcpy(texts + 1, job->texts + first, count * sizeof *texts);
        memcpy(sizes + 1, job->sizes + first, count * sizeof *sizes);
        request = request_of_words(REQUEST_SUBSCRIBE, &(struct words){count + 1, texts, sizes});
    }
    free(texts);
    free(sizes);
    if (request)
        request->answers = count;
    return request;
}

static void is_up(struct link *link) {
    struct subscription *subscription = subscription_of(link);
    const struct job *job = subscription->job;
    size_t patterns = job->pattern_count, channels = job->text_count - patterns;
    struct request *made[] = {channels > 0 ? make_request(job, "SUBSCRIBE", 0, channels) : NULL,
                              patterns > 0 ? make_request(job, "PSUBSCRIBE", channels, patterns) : NULL};
    int has_memory = (made[0] || channels == 0) && (made[1] || patterns == 0);
    subscription->waits = channels + patterns;
    for (int i = 0; i < 2; i++)
        if (made[i])
            link_add(link, made[i]);
    if (!has_memory)
        link_lose(link, "no memory");
}

static spin_status emit_message(const struct subscription *subscription, int has_pattern) {
    const redis_value *values = subscription->link.reply.values;
    const redis_value *channel = &values[has_pattern ? 3 : 2], *payload = channel + 1;
    spin_string none = {"", 0};
    return spin_wait_message(subscription->job->base.call, channel->text, has_pattern ? values[2].text : none,
                             payload->text, payload->bytes, 0);
}

// Whether an answer is a list of texts, as many as these.
static int is_list(const struct reply *reply, const char *name, size_t count) {
    if (reply->kinds[0] != REPLY_LIST || reply->count != count + 1 || !reply_is(reply, 1, name))
        return 0;
    for (size_t i = 1; i <= count; i++)
        if (reply->kinds[i] != REPLY_TEXT || reply->values[i].depth != 1)
            return 0;
    return 1;
}

static int is_confirmation(const struct reply *reply) {
    return reply->kinds[0] == REPLY_LIST && reply->count == 4 && reply->kinds[3] == REPLY_INTEGER &&
           (reply_is(reply, 1, "subscribe") || reply_is(reply, 1, "psubscribe"));
}

static int confirm(struct subscription *subscription, struct request *request) {
    if (--request->answers == 0)
        request_free(link_remove(&subscription->link));
    if (--subscription->waits > 0)
        return 1;
    subscription->has_begun = 1;
    subscription->reason[0] = 0;
    emit_state(subscription);
    return 1;
}

static int answer(struct link *link) {
    struct subscription *subscription = subscription_of(link);
    const struct reply *reply = &link->reply;
    int has_pattern = is_list(reply, "pmessage", 4);
    if (!emit_state(subscription))
        return 0;
    if (has_pattern || is_list(reply, "message", 3))
        return continues(subscription, emit_message(subscription, has_pattern));
    struct request *request = link_asked(link);
    int is_error = reply->kinds[0] == REPLY_ERROR;
    const char *away = is_error ? trouble_away(reply->values[0].text) : NULL;
    if (away) {
        link_part(link, away);
    } else if (request && request->kind == REQUEST_SUBSCRIBE && is_error) {
        job_end(subscription->job, REDIS_REFUSED, reply->values[0].text.data);
        engine_note_end(&link->self->engine);
    }
    if (request && request->kind == REQUEST_SUBSCRIBE && is_confirmation(reply))
        return confirm(subscription, request);
    if (request && (is_error || (request->kind == REQUEST_PING && is_list(reply, "pong", 2)))) {
        request_free(link_remove(link));
        return 1;
    }
    link_lose(link, "the server has sent an answer that nobody has asked for");
    return 0;
}

void subscription_begin(spin_self *self, struct job *job) {
    static const struct link_kind kind = {"messages", can_read, answer, is_up, is_lost};
    struct subscription *subscription = calloc(1, sizeof *subscription);
    if (!subscription) {
        engine_call_fail(&job->base, SPIN_NO_MEMORY, "no memory");
        return;
    }
    subscription->job = job;
    subscription->next = self->subscriptions;
    self->subscriptions = subscription;
    link_init(&subscription->link, self, &kind);
    link_begin(&subscription->link);
}

void subscription_resume(struct subscription *subscription) {
    if (!subscription->is_blocked || !lasting_can_emit(&subscription->job->base.lasting))
        return;
    subscription->is_blocked = 0;
    subscription->link.active = spin_monotonic();
    if (emit_state(subscription))
        link_run(&subscription->link);
}

static void free_at(struct subscription **place) {
    struct subscription *subscription = *place;
    *place = subscription->next;
    link_free(&subscription->link);
    engine_call_drop(&subscription->job->base);
    free(subscription);
}

void subscriptions_sweep(spin_self *self) {
    for (struct subscription **place = &self->subscriptions; *place;)
        if (engine_call_is_over(&(*place)->job->base))
            free_at(place);
        else
            place = &(*place)->next;
}

void subscriptions_free(spin_self *self) {
    while (self->subscriptions)
        free_at(&self->subscriptions);
}
