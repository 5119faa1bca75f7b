#include "columns.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int columns_init(struct columns *columns, spin_list_string names) {
    size_t size = 0;
    for (size_t i = 0; i < names.count; i++)
        size += names.items[i].size;
    columns->count = names.count;
    columns->names = malloc(names.count * sizeof *columns->names + size + 1);
    columns->positions = calloc(names.count + 1, sizeof *columns->positions);
    columns->fields = calloc(names.count + 1, sizeof *columns->fields);
    if (!columns->names || !columns->positions || !columns->fields)
        return 0;
    char *text = (char *)(columns->names + names.count);
    for (size_t i = 0; i < names.count; i++) {
        size_t own = names.items[i].size;
        if (own > 0)
            memcpy(text, names.items[i].data, own);
        columns->names[i] = (spin_string){text, own};
        text += own;
    }
    return 1;
}

void columns_free(struct columns *columns) {
    free(columns->names);
    free(columns->positions);
    free(columns->fields);
}

static int is_same(spin_string left, spin_string right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

const spin_string *columns_find(struct columns *columns, const struct row *header) {
    columns->width = header->count;
    for (size_t i = 0; i < columns->count; i++) {
        size_t place = 0;
        while (place < header->count && !is_same(header->fields[place], columns->names[i]))
            place++;
        if (place == header->count)
            return &columns->names[i];
        columns->positions[i] = place;
    }
    return NULL;
}

void columns_write(const struct row *header, char text[columns_text_size]) {
    enum { most = 8, longest = 40 }; // They have room in the text.
    size_t size = 0, shown = header->count < most ? header->count : most, more = header->count - shown;
    for (size_t i = 0; i < shown; i++) {
        spin_string name = header->fields[i];
        int is_long = name.size > longest, is_last = i + 1 == shown && more == 0;
        size_t kept = is_long ? utf8_valid(name.data, longest) : name.size;
        size += (size_t)snprintf(text + size, columns_text_size - size, "%s`%.*s%s`",
                                 i == 0    ? ""
                                 : is_last ? " and "
                                           : ", ",
                                 (int)kept, name.data, is_long ? "…" : "");
    }
    if (more > 0)
        snprintf(text + size, columns_text_size - size, " and %zu more", more);
}

int columns_fit(const struct columns *columns, const struct row *row) {
    return columns->count == 0 || row->count == columns->width;
}

spin_list_string columns_of(const struct columns *columns, const struct row *row) {
    if (columns->count == 0)
        return (spin_list_string){row->fields, row->count};
    for (size_t i = 0; i < columns->count; i++)
        columns->fields[i] = row->fields[columns->positions[i]];
    return (spin_list_string){columns->fields, columns->count};
}
