#include "pull.h"
#include "../instance.h"
#include "../link/send.h"
#include "../wire/json.h"
#include "../wire/subject.h"
#include "../../common/patience.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <string.h>

/* How long a request lasts, how often the server then shows that it has not forgotten it, and how long it may say
 * nothing, in nanoseconds. */
static const int64_t request_time = 30000000000, heartbeat = 5000000000, longest_silence = 15000000000;

/* What it asks a consumer for. */
static const char info[] = "INFO", messages[] = "MSG.NEXT";

void pull_wait(struct call *call, const char *reason) {
    struct pull *pull = &call->pull;
    const spin_config *config = call->self->config;
    pull->left = 0;
    pull->is_known = 0;
    pull->due =
        spin_monotonic() + patience(config->reconnect_least, config->reconnect_most, ++pull->failures);
    if (!reason || strcmp(pull->reason, reason) == 0)
        return;
    snprintf(pull->reason, sizeof pull->reason, "%s", reason);
    pull->is_untold = 1;
    spin_log_with(NULL, SPIN_LOG_WARNING, "a consumer does not work",
                  spin_field_text("stream", call->subject.data), spin_field_text("consumer", call->name.data),
                  spin_field_text("reason", pull->reason));
}

// The consumer works.
static void is_there(struct call *call) {
    struct pull *pull = &call->pull;
    pull->due = spin_monotonic() + longest_silence;
    pull->failures = 0;
    if (pull->reason[0])
        spin_log_with(NULL, SPIN_LOG_INFO, "a consumer works again",
                      spin_field_text("stream", call->subject.data),
                      spin_field_text("consumer", call->name.data));
    pull->reason[0] = 0;
    pull->is_untold = 0;
}

void pull_note_message(struct call *call) {
    struct pull *pull = &call->pull;
    if (!pull->is_known)
        return;
    pull->left -= pull->left > 0;
    is_there(call);
    if (pull->left == 0)
        pull->due = 0;
}

// A server says nothing to a request for messages of a consumer that is not there. So the call asks for it first.
static void hear_info(struct call *call, const struct message *message) {
    struct pull *pull = &call->pull;
    spin_string answer = {(const char *)message->data.data, message->data.size};
    char reason[most_reason];
    json_text(json_member(json_member(answer, "error"), "description"), reason, sizeof reason);
    if (reason[0]) {
        pull_wait(call, reason);
    } else if (json_member(json_member(answer, "config"), "deliver_subject").data) {
        pull_wait(call, "it is a push consumer");
    } else {
        pull->is_known = 1;
        pull->left = 0;
        pull->due = 0;
    }
}

// The request has ended before its messages have come.
static void hear_end(struct call *call) {
    struct pull *pull = &call->pull;
    if (spin_monotonic() - pull->sent < request_time / 2 && pull->left == call->batch) {
        pull_wait(call, NULL); // It was not to end so soon.
        return;
    }
    is_there(call);
    pull->left = 0;
    pull->due = 0;
}

void pull_hear(struct call *call, const struct message *message) {
    char reason[most_reason];
    struct message repaired = *message;
    int status = message_status(message);
    if (subject_number(message->subject) != (uint64_t)call->pull.number || call->pull.left == 0)
        return; // It is about an earlier request.
    if (status == 0 && !call->pull.is_known) {
        hear_info(call, message);
    } else if (status == 100) {
        is_there(call);
    } else if (status == 404 || status == 408) {
        hear_end(call);
    } else if (status == 503) {
        pull_wait(call, "JetStream is not there");
    } else if (message_repair(&repaired, &call->self->scratch)) {
        spin_string text = message_status_text(&repaired);
        size_t size = utf8_valid(text.data, text.size < 150 ? text.size : 150);
        snprintf(reason, sizeof reason, "the server says: %d %.*s", status, (int)size, text.data);
        pull_wait(call, reason);
    } else {
        pull_wait(call, "there is no memory for what the server says");
    }
}

void pull_ask(struct call *call, int64_t now) {
    struct pull *pull = &call->pull;
    char order[128];
    pull->number++;
    pull->left = pull->is_known ? call->batch : 1;
    pull->sent = now;
    pull->due = now + longest_silence;
    snprintf(order, sizeof order, "{\"batch\":%lld,\"expires\":%lld,\"idle_heartbeat\":%lld}",
             (long long)call->batch, (long long)request_time, (long long)heartbeat);
    if (pull->is_known)
        send_request(call->self, call, messages, order);
    else
        send_request(call->self, call, info, "");
}

static int has_subject(const struct call *call, const char *what, spin_string subject) {
    char own[2 * longest_subject];
    request_subject(call, what, own, sizeof own);
    return is_same(subject, (spin_string){own, strlen(own)});
}

int pull_has_subject(const struct call *call, spin_string subject) {
    return has_subject(call, messages, subject) || has_subject(call, info, subject);
}
