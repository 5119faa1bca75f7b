#include "hold.h"
#include <stdlib.h>
#include <string.h>

static size_t size_of(const struct message *message) {
    return message->subject.size + message->reply.size + message->header.size + message->data.size;
}

static char *copy_text(char *target, spin_string *text) {
    if (text->size > 0)
        memcpy(target, text->data, text->size);
    text->data = target;
    return target + text->size;
}

int hold_add(struct hold *hold, const struct message *message) {
    struct held *held = malloc(sizeof *held + size_of(message));
    if (!held)
        return 0;
    *held = (struct held){NULL, hold->missed, *message};
    struct message *kept = &held->message;
    char *target = copy_text((char *)(held + 1), &kept->subject);
    target = copy_text(target, &kept->reply);
    target = copy_text(target, &kept->header);
    if (kept->data.size > 0)
        memcpy(target, kept->data.data, kept->data.size);
    kept->data.data = (const uint8_t *)target;
    *(hold->last ? &hold->last->next : &hold->first) = held;
    hold->last = held;
    hold->missed = 0;
    hold->count++;
    hold->bytes += sizeof *held + size_of(kept);
    return 1;
}

void hold_pop(struct hold *hold) {
    struct held *held = hold->first;
    hold->first = held->next;
    if (!hold->first)
        hold->last = NULL;
    hold->count--;
    hold->bytes -= sizeof *held + size_of(&held->message);
    free(held);
}

void hold_free(struct hold *hold) {
    while (hold->first)
        hold_pop(hold);
}
