#include "refusal.h"
#include "../calls/consume.h"
#include "../calls/exchange.h"
#include "../instance.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <string.h>

// Keeps what the server says, for the log and the loops.
static void keep_error(struct link *link, spin_string text) {
    char repaired[UTF8_REPAIRED_GROWTH * 128];
    size_t size = utf8_repair(text.data, text.size < 128 ? text.size : 128, repaired);
    snprintf(link->error, sizeof link->error, "%.*s", size < 200 ? (int)size : 200, repaired);
    size = strlen(link->error);
    link->error[utf8_valid(link->error, size)] = 0;
    for (char *next = link->error; *next; next++)
        if ((unsigned char)*next < ' ' || *next == 0x7f)
            *next = '?';
}

// What stands in the first quotes of a text; empty without them.
static spin_string quoted(spin_string text) {
    const char *begin = memchr(text.data, '"', text.size);
    const char *end = begin ? memchr(begin + 1, '"', text.size - (size_t)(begin + 1 - text.data)) : NULL;
    return end ? (spin_string){begin + 1, (size_t)(end - begin - 1)} : (spin_string){"", 0};
}

static int begins(spin_string text, const char *begin) {
    return text.size >= strlen(begin) && memcmp(text.data, begin, strlen(begin)) == 0;
}

// Fails the calls whose subscription is refused; how many.
static int refuse_subscription(struct calls *list, spin_string subject) {
    int count = 0;
    for (struct call *next, *call = list->first; call; call = next) {
        next = call->next;
        if (call->kind != CALL_SUBSCRIBE || call->subject.size != subject.size ||
            memcmp(call->subject.data, subject.data, subject.size) != 0)
            continue;
        call_fail(call, NATS_REFUSED, "the server refuses the subscription to `%.200s`", call->subject.data);
        count++;
    }
    return count;
}

// Answers of a refused inbox cannot come. Its subjects are those of consumers, too.
static int refuse_inbox(spin_self *self, spin_string subject) {
    size_t size = strlen(self->inbox);
    if (!begins(subject, self->inbox) || subject.size < size + 2 || subject.data[size] != '.')
        return 0;
    if (subject.data[size + 1] == 'r')
        exchange_refuse_answers(self);
    else
        consume_refuse_all(self);
    return 1;
}

void refusal_hear(spin_self *self, spin_string text) {
    struct link *link = &self->link;
    spin_string subject = quoted(text);
    int is_known = 0;
    if (begins(text, "Permissions Violation for Publish"))
        is_known = exchange_refuse(self, subject) || consume_refuse(self, subject);
    else if (begins(text, "Permissions Violation for Subscription"))
        is_known = refuse_inbox(self, subject) || refuse_subscription(&self->subscribers, subject) +
                                                          refuse_subscription(&self->blocked, subject) >
                                                      0;
    if (is_known)
        return;
    keep_error(link, text);
    if (link->state == LINK_IS_UP && !link->has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, "the server reports an error",
                      spin_field_text("error", link->error));
    link->has_complained = 1;
}
