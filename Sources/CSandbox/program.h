// A filter while it is written.
#pragma once

#include "sandbox_filter.h"

#include <stddef.h>
#include <stdint.h>

struct program {
    struct sock_filter *instructions;
    size_t count;
    size_t capacity;
    const struct sandbox_rules *rules;
    uint32_t machine;
};

static inline void put(struct program *program, uint16_t code, uint8_t if_true, uint8_t if_false,
                       uint32_t value) {
    if (program->count < program->capacity) {
        program->instructions[program->count] = (struct sock_filter){code, if_true, if_false, value};
    }
    program->count++;
}

static inline void load(struct program *program, size_t offset) {
    put(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

// The lower half of an argument: all that the kernel looks at where it takes an `int`.
static inline void load_argument(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

static inline void load_upper_half(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4);
}

static inline void keep_bits(struct program *program, uint32_t bits) {
    put(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, bits);
}

static inline void answer(struct program *program, uint32_t action) {
    put(program, BPF_RET | BPF_K, 0, 0, action);
}

static inline void answer_if(struct program *program, uint32_t value, uint32_t action) {
    put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    answer(program, action);
}

static inline void answer_unless(struct program *program, uint32_t value, uint32_t action) {
    put(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value);
    answer(program, action);
}

static inline void answer_if_any(struct program *program, uint32_t bits, uint32_t action) {
    put(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(program, action);
}

static inline void answer_if_listed(struct program *program, const uint32_t *values, size_t count,
                                    uint32_t action) {
    for (size_t index = 0; index < count; index++) {
        answer_if(program, values[index], action);
    }
}
