#include "references.h"

#include <ffi.h>
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <string.h>

struct state {
    int64_t n, limit;
};

struct event {
    int32_t kind;
    int64_t to;
};

enum { RING = 16 };

struct loop {
    struct state state;
    struct event ring[RING];
    unsigned head, tail;
    int64_t steps;
    ffi_cif interface;
    ffi_type *types[2];
    void *arguments[2];
    void (*function)(void);
};

static void emit(struct loop *loop, struct event event) { loop->ring[loop->tail++ % RING] = event; }

static void run_effect(struct loop *loop) {
    ffi_arg result;
    ffi_call(&loop->interface, loop->function, &result, loop->arguments);
    emit(loop, (struct event){.kind = 0, .to = (int64_t)result});
}

static void reduce(struct state *state, const struct event *event) {
    switch (event->kind) {
    case 0:
        state->n = event->to;
        break;
    }
}

int64_t reference_manifest_loop(void *function, int64_t limit) {
    struct loop *loop = calloc(1, sizeof *loop);
    loop->state.limit = limit;
    loop->function = (void (*)(void))function;
    loop->types[0] = loop->types[1] = &ffi_type_sint64;
    loop->arguments[0] = &loop->state.n;
    loop->arguments[1] = &loop->state.limit;
    if (ffi_prep_cif(&loop->interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint64, loop->types) != FFI_OK) {
        free(loop);
        return -1;
    }
    run_effect(loop);
    while (loop->head != loop->tail && loop->state.n != loop->state.limit) {
        struct event event = loop->ring[loop->head++ % RING];
        reduce(&loop->state, &event);
        loop->steps++;
        run_effect(loop);
    }
    int64_t steps = loop->steps;
    free(loop);
    return steps;
}

int64_t reference_calls(void *function, int64_t limit) {
    int64_t from = 0;
    ffi_type *types[2] = {&ffi_type_sint64, &ffi_type_sint64};
    void *arguments[2] = {&from, &limit};
    ffi_cif interface;
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint64, types) != FFI_OK)
        return -1;
    for (int64_t call = 0; call < limit; call++) {
        ffi_arg result;
        ffi_call(&interface, (void (*)(void))function, &result, arguments);
        from = (int64_t)result;
    }
    return from;
}

void *reference_effect_function(const void *table, const char *name) {
    const struct spin_entry *entry = table;
    for (const spin_description *const *next = entry->descriptions; next < entry->descriptions_end; next++) {
        const spin_effect *effect = (const spin_effect *)*next;
        if ((*next)->kind == SPIN_KIND_EFFECT && strcmp(effect->name, name) == 0)
            return (void *)effect->function;
    }
    return NULL;
}
