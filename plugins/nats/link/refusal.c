#include "refusal.h"
#include "../calls/consume.h"
#include "../calls/exchange.h"
#include "../instance.h"
#include "../wire/json.h"
#include "../wire/subject.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <string.h>

// Copies what the server says, for the log and the loops.
static void copy_error(spin_string text, char error[most_reason]) {
    char repaired[UTF8_REPAIRED_GROWTH * 128];
    size_t size = utf8_repair(text.data, text.size < 128 ? text.size : 128, repaired);
    snprintf(error, most_reason, "%.*s", size < 200 ? (int)size : 200, repaired);
    size = strlen(error);
    error[utf8_valid(error, size)] = 0;
    for (char *next = error; *next; next++)
        if ((unsigned char)*next < ' ' || *next == 0x7f)
            *next = '?';
}

/* A subject that a server names, of which no more is needed than calls can have. */
struct name {
    char text[longest_subject + 8];
    size_t size;
};

// Takes the first text in quotes from a text; an empty one without quotes. Servers write it as Go does, with escapes.
static spin_string take_name(spin_string *text, struct name *name) {
    const char *begin = memchr(text->data, '"', text->size), *end = text->data + text->size;
    const char *next = begin ? begin + 1 : end;
    while (next < end && *next != '"')
        next += *next == '\\' && end - next > 1 ? 2 : 1;
    spin_string quoted = {begin, next < end ? (size_t)(next + 1 - begin) : 0};
    name->size = json_text(quoted, name->text, sizeof name->text);
    if (next < end)
        *text = (spin_string){next + 1, (size_t)(end - next - 1)};
    return (spin_string){name->text, name->size};
}

static int begins(spin_string text, const char *begin) {
    return text.size >= strlen(begin) && memcmp(text.data, begin, strlen(begin)) == 0;
}

// Fails the calls whose subscription is refused; how many.
static int refuse_subscription(struct calls *list, spin_string subject, spin_string queue) {
    int count = 0;
    for (struct call *next, *call = list->first; call; call = next) {
        next = call->next;
        if (call->kind != CALL_SUBSCRIBE || !is_same(call->subject, subject) || !is_same(call->name, queue))
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
    char error[most_reason];
    struct name names[2];
    spin_string rest = text, subject = take_name(&rest, &names[0]), queue = take_name(&rest, &names[1]);
    int is_known = 0;
    if (begins(text, "Permissions Violation for Publish"))
        is_known = exchange_refuse(self, subject) || consume_refuse(self, subject);
    else if (begins(text, "Permissions Violation for Subscription"))
        is_known =
            refuse_inbox(self, subject) || refuse_subscription(&self->subscribers, subject, queue) +
                                                   refuse_subscription(&self->blocked, subject, queue) >
                                               0;
    if (is_known)
        return;
    copy_error(text, error);
    if (link->state == LINK_IS_UP && !link->has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, "the server reports an error", spin_field_text("error", error));
    link->has_complained = 1;
    if (!begins(text, "Permissions Violation")) // It does not end the connection.
        memcpy(link->error, error, sizeof error);
}
