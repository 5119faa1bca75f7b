#include "table.h"
#include "call.h"
#include <stdlib.h>

enum { place_bits = 20 };

static size_t place_of(uint64_t ticket) { return (size_t)(ticket & ((1u << place_bits) - 1)); }

static int grow(struct table *table) {
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    if (capacity > (size_t)1 << place_bits)
        return 0;
    struct call **calls = realloc(table->calls, capacity * sizeof(struct call *));
    if (calls)
        table->calls = calls;
    uint32_t *unused = calls ? realloc(table->unused, capacity * sizeof *unused) : NULL;
    if (!unused)
        return 0;
    table->unused = unused;
    table->capacity = capacity;
    return 1;
}

int table_add(struct table *table, struct call *call) {
    if (table->unused_count == 0 && table->count == table->capacity && !grow(table))
        return 0;
    size_t place = table->unused_count > 0 ? table->unused[--table->unused_count] : table->count++;
    table->calls[place] = call;
    call->ticket = ++table->last << place_bits | place;
    return 1;
}

struct call *table_find(const struct table *table, uint64_t ticket) {
    size_t place = place_of(ticket);
    struct call *call = place < table->count ? table->calls[place] : NULL;
    return call && call->ticket == ticket ? call : NULL;
}

void table_remove(struct table *table, struct call *call) {
    if (call->ticket == 0)
        return;
    size_t place = place_of(call->ticket);
    table->calls[place] = NULL;
    table->unused[table->unused_count++] = (uint32_t)place;
    call->ticket = 0;
}

void table_free(struct table *table) {
    free(table->calls);
    free(table->unused);
    *table = (struct table){0};
}
