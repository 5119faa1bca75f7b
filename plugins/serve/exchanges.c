#include "exchanges.h"
#include "exchange.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char no_such_request[] =
    "no such request waits: it was answered, has waited too long, or came to another instance";

void exchange_name(const struct exchange *exchange, char *name) {
    snprintf(name, exchange_name_size, "%s-%" PRIu64, exchange->self->nonce, exchange->number);
}

static struct exchange **bucket(spin_self *self, uint64_t number) {
    return &self->buckets[number & (exchange_buckets - 1)];
}

void exchanges_add(struct exchange *exchange) {
    spin_self *self = exchange->self;
    exchange->state = EXCHANGE_WAITING;
    exchange->previous = self->last_waiting;
    if (self->last_waiting)
        self->last_waiting->next = exchange;
    else
        self->first = exchange;
    self->last_waiting = exchange;
    if (!self->untold)
        self->untold = exchange;
    self->waiting++;
    struct exchange **head = bucket(self, exchange->number);
    exchange->next_in_bucket = *head;
    *head = exchange;
}

static void remove_waiting(struct exchange *exchange) {
    spin_self *self = exchange->self;
    if (self->untold == exchange)
        self->untold = exchange->next;
    if (exchange->previous)
        exchange->previous->next = exchange->next;
    else
        self->first = exchange->next;
    if (exchange->next)
        exchange->next->previous = exchange->previous;
    else
        self->last_waiting = exchange->previous;
    self->waiting--;
}

static void remove_from_bucket(struct exchange *exchange) {
    struct exchange **link = bucket(exchange->self, exchange->number);
    while (*link != exchange)
        link = &(*link)->next_in_bucket;
    *link = exchange->next_in_bucket;
}

void exchanges_end_wait(struct exchange *exchange) {
    remove_waiting(exchange);
    if (!exchange->stream)
        remove_from_bucket(exchange);
}

void exchanges_remove(struct exchange *exchange) {
    if (exchange->state == EXCHANGE_WAITING)
        remove_waiting(exchange);
    if (exchange->state == EXCHANGE_WAITING || exchange->stream)
        remove_from_bucket(exchange);
}

static struct exchange *find_numbered(spin_self *self, uint64_t number) {
    struct exchange *found = *bucket(self, number);
    while (found && found->number != number)
        found = found->next_in_bucket;
    return found;
}

static struct exchange *find(spin_self *self, spin_string name) {
    size_t nonce = strlen(self->nonce);
    if (name.size <= nonce + 1 || memcmp(name.data, self->nonce, nonce) != 0 || name.data[nonce] != '-')
        return NULL;
    char *end;
    uint64_t number = strtoull(name.data + nonce + 1, &end, 10);
    if (end != name.data + name.size)
        return NULL;
    return find_numbered(self, number);
}

struct exchange *exchanges_waiting(spin_self *self, spin_string name) {
    struct exchange *found = find(self, name);
    return found && !found->stream ? found : NULL;
}

struct exchange *exchanges_streaming(spin_self *self, spin_string name) {
    struct exchange *found = find(self, name);
    return found && found->stream ? found : NULL;
}

struct exchange *exchanges_numbered_stream(spin_self *self, uint64_t number) {
    struct exchange *found = find_numbered(self, number);
    return found && found->stream ? found : NULL;
}
