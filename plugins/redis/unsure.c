#include "unsure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void remove_at(struct unsure *unsure, struct unsure_key **place) {
    struct unsure_key *key = *place;
    *place = key->next;
    if (unsure->last == &key->next)
        unsure->last = place;
    unsure->count--;
    free(key);
}

static void forget(struct unsure *unsure, size_t most) {
    while (unsure->count > most)
        remove_at(unsure, &unsure->first);
}

int unsure_add(struct unsure *unsure, const char *text, size_t most) {
    struct unsure_key *key = calloc(1, sizeof *key);
    if (!key)
        return 0;
    snprintf(key->text, sizeof key->text, "%s", text);
    if (!unsure->first)
        unsure->last = &unsure->first;
    *unsure->last = key;
    unsure->last = &key->next;
    unsure->count++;
    forget(unsure, most);
    return 1;
}

int unsure_take(struct unsure *unsure, const char *text) {
    struct unsure_key **place = &unsure->first;
    while (*place && strcmp((*place)->text, text) != 0)
        place = &(*place)->next;
    if (!*place)
        return 0;
    remove_at(unsure, place);
    return 1;
}

void unsure_move(struct unsure *unsure, struct unsure *to, size_t most) {
    if (!unsure->first)
        return;
    if (!to->first)
        to->last = &to->first;
    *to->last = unsure->first;
    to->last = unsure->last;
    to->count += unsure->count;
    *unsure = (struct unsure){0};
    forget(to, most);
}

void unsure_free(struct unsure *unsure) {
    while (unsure->first)
        remove_at(unsure, &unsure->first);
}
