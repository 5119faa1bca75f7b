// The numbers of calls, by which the server names them. A number is never used again.
#ifndef NATS_TABLE_H
#define NATS_TABLE_H

#include "nats.h"
#include <stddef.h>

struct call;

/* Zeroed memory is an empty table. */
struct table {
    struct call **calls; /* by the lower bits of their numbers */
    uint32_t *unused;    /* places without a call */
    size_t count, capacity, unused_count;
    uint64_t last;
};

/* Gives a call its number; 0 without memory. */
int table_add(struct table *table, struct call *call);

/* The call of a number; NULL if it has ended. */
struct call *table_find(const struct table *table, uint64_t ticket);

/* Takes the number of a call away, if it has one. */
void table_remove(struct table *table, struct call *call);

void table_free(struct table *table);

#endif
