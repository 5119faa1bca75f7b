#include "entries.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads digits up to a character, or to the end; NULL if they are not a number of 64 bits.
static const char *read_number(const char *text, const char *end, uint64_t *number) {
    const char *next = text;
    *number = 0;
    for (; next < end && *next >= '0' && *next <= '9'; next++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*next - '0'), number))
            return NULL;
    return next > text ? next : NULL;
}

int entry_id_read(spin_string text, struct entry_id *id) {
    const char *end = text.data + text.size;
    const char *dash = read_number(text.data, end, &id->time);
    return dash && dash < end && *dash == '-' && read_number(dash + 1, end, &id->number) == end;
}

void entry_id_write(const struct entry_id *id, char text[id_size]) {
    snprintf(text, id_size, "%llu-%llu", (unsigned long long)id->time, (unsigned long long)id->number);
}

int entry_id_is_first(const struct entry_id *id) { return id->time == 0 && id->number == 0; }

int entry_id_precedes(const struct entry_id *one, const struct entry_id *other) {
    return one->time != other->time ? one->time < other->time : one->number < other->number;
}

// Where the entry of this id is, or would be.
static size_t place_of(const struct entries *entries, const struct entry_id *id) {
    size_t first = 0, last = entries->count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (entry_id_precedes(&entries->all[middle]->id, id))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static int is_at(const struct entries *entries, size_t place, const struct entry_id *id) {
    return place < entries->count && !entry_id_precedes(id, &entries->all[place]->id);
}

struct entry *entries_find(const struct entries *entries, const struct entry_id *id) {
    size_t place = place_of(entries, id);
    return is_at(entries, place, id) ? entries->all[place] : NULL;
}

struct entry *entries_add(struct entries *entries, const struct entry_id *id) {
    size_t place = place_of(entries, id);
    if (is_at(entries, place, id))
        return entries->all[place];
    if (entries->count == entries->capacity) {
        size_t capacity = entries->capacity ? 2 * entries->capacity : 64;
        struct entry **grown = realloc(entries->all, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        entries->all = grown;
        entries->capacity = capacity;
    }
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->id = *id;
    memmove(entries->all + place + 1, entries->all + place, (entries->count - place) * sizeof *entries->all);
    entries->all[place] = entry;
    entries->count++;
    return entry;
}

size_t entries_in(const struct entries *entries, enum entry_state state) {
    size_t count = 0;
    for (size_t i = 0; i < entries->count; i++)
        count += entries->all[i]->state == state;
    return count;
}

void entries_change(struct entries *entries, enum entry_state from, enum entry_state to) {
    for (size_t i = 0; i < entries->count; i++)
        if (entries->all[i]->state == from)
            entries->all[i]->state = to;
}

void entries_remove(struct entries *entries, enum entry_state state) {
    size_t kept = 0;
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *entry = entries->all[i];
        if (entry->state == state)
            free(entry);
        else
            entries->all[kept++] = entry;
    }
    entries->count = kept;
}

void entries_drop(struct entries *entries, const struct entry_id *id) {
    size_t place = place_of(entries, id);
    if (!is_at(entries, place, id))
        return;
    free(entries->all[place]);
    entries->count--;
    memmove(entries->all + place, entries->all + place + 1, (entries->count - place) * sizeof *entries->all);
}

void entries_free(struct entries *entries) {
    for (size_t i = 0; i < entries->count; i++)
        free(entries->all[i]);
    free(entries->all);
    *entries = (struct entries){0};
}
