// Emissions as lines of a transcript.
#include "world.h"
#include <stdio.h>
#include <string.h>

void (*row_sink)(int64_t line, const spin_list_string *fields);

/* A line, with room for what a test emits. */
struct line {
    char text[4000];
    size_t size;
};

static void add(struct line *line, const char *text) {
    size_t size = strlen(text);
    check("the line has room", line->size + size < sizeof line->text);
    memcpy(line->text + line->size, text, size);
    line->size += size;
}

static void add_text(struct line *line, const char *before, spin_string text) {
    add(line, before);
    check("the line has room", line->size + text.size < sizeof line->text);
    if (text.size > 0)
        memcpy(line->text + line->size, text.data, text.size);
    line->size += text.size;
}

static void add_list(struct line *line, const char *before, const spin_list_string *list) {
    for (size_t i = 0; i < list->count; i++)
        add_text(line, before, list->items[i]);
}

// A row is `row LINE` and its fields, each behind a bar.
static void add_row(struct line *line, const void *payload) {
    const struct {
        int64_t line;
        spin_list_string fields;
    } *row = payload;
    char number[32];
    snprintf(number, sizeof number, " %lld", (long long)row->line);
    add(line, number);
    add_list(line, "|", &row->fields);
}

static void add_number(struct line *line, const void *payload) {
    char number[32];
    snprintf(number, sizeof number, " %lld", (long long)*(const int64_t *)payload);
    add(line, number);
}

// What a watch emits: the path, its name, and flags.
static void add_change(struct line *line, const char *name, const void *payload) {
    const spin_string *texts = payload;
    if (strcmp(name, "moved") == 0) {
        add_text(line, " ", *texts++);
        add(line, " to");
    }
    add_text(line, " ", texts[0]);
    const bool *flags = (const bool *)(texts + 2);
    if (strcmp(name, "changed") != 0 && flags[0])
        add(line, "/");
    if (strcmp(name, "created") == 0 && flags[1])
        add(line, " (present)");
    check("the name is the end of the path",
          texts[1].size <= texts[0].size &&
              memcmp(texts[0].data + texts[0].size - texts[1].size, texts[1].data, texts[1].size) == 0 &&
              !memchr(texts[1].data, '/', texts[1].size));
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    struct line line = {.size = 0};
    const char *name = emitter->name;
    const spin_string *texts = payload;
    add(&line, name);
    if (strcmp(name, "row") == 0 && row_sink) {
        row_sink(*(const int64_t *)payload, (const spin_list_string *)((const int64_t *)payload + 1));
        return;
    }
    if (strcmp(name, "row") == 0)
        add_row(&line, payload);
    else if (strcmp(name, "ended") == 0)
        add_number(&line, payload);
    else if (strcmp(name, "damaged") == 0) {
        add_number(&line, payload);
        add_text(&line, " ", *(const spin_string *)((const int64_t *)payload + 1));
    } else if (strcmp(name, "paths") == 0)
        add_list(&line, " ", payload);
    else if (strcmp(name, "text") == 0 || strcmp(name, "data") == 0) {
        add_text(&line, " ", texts[0]);
        add_text(&line, ": ", texts[1]);
    } else if (strcmp(name, "rescan") == 0)
        add_text(&line, " ", texts[0]);
    else if (emitter->payload_size > 0)
        add_change(&line, name, payload);
    line.text[line.size++] = '\n';
    host_note(call, line.text, line.size);
}
