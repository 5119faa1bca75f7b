#include "accepted.h"
#include "instance.h"
#include <stdlib.h>
#include <string.h>

// Where the connection of this number is, or would be.
static size_t place_of_number(const spin_self *self, uint64_t number) {
    size_t first = 0, last = self->accepted_count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (self->accepted[middle]->number < number)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

int accepted_add(spin_self *self, struct connection *connection) {
    if (self->accepted_count == self->accepted_capacity) {
        size_t capacity = self->accepted_capacity ? 2 * self->accepted_capacity : 16;
        struct connection **grown = realloc(self->accepted, capacity * sizeof *grown);
        if (!grown)
            return 0;
        self->accepted = grown;
        self->accepted_capacity = capacity;
    }
    // One that another instance has handed over may have a smaller number than the last one.
    size_t place = place_of_number(self, connection->number);
    memmove(self->accepted + place + 1, self->accepted + place,
            (self->accepted_count - place) * sizeof *self->accepted);
    self->accepted[place] = connection;
    self->accepted_count++;
    return 1;
}

struct connection *accepted_find(const spin_self *self, const char *name) {
    size_t size = strlen(self->nonce);
    if (strncmp(name, self->nonce, size) != 0 || name[size] != '-')
        return NULL;
    const char *digits = name + size + 1;
    uint64_t number = strtoull(digits, NULL, 10);
    size_t place = place_of_number(self, number);
    return !digits[strspn(digits, "0123456789")] && place < self->accepted_count &&
                   self->accepted[place]->number == number
               ? self->accepted[place]
               : NULL;
}

void accepted_remove(spin_self *self, const struct connection *connection) {
    size_t place = place_of_number(self, connection->number);
    self->accepted_count--;
    memmove(self->accepted + place, self->accepted + place + 1,
            (self->accepted_count - place) * sizeof *self->accepted);
    self->has_changed = 1;
}
