#include "sandbox_filter.h"

#include <stdint.h>
#include <string.h>

static uint32_t word_at(const struct seccomp_data *call, uint32_t offset) {
    uint32_t word = 0;
    memcpy(&word, (const char *)call + offset, sizeof word);
    return word;
}

// Only the instructions that filter.c writes.
uint32_t sandbox_run_filter(const struct sock_filter *program, size_t count, uint32_t machine, int number,
                            const uint64_t arguments[6]) {
    struct seccomp_data call = {.nr = number, .arch = machine};
    memcpy(call.args, arguments, sizeof call.args);
    uint32_t word = 0;
    for (size_t index = 0; index < count; index++) {
        const struct sock_filter *next = &program[index];
        int holds = 0;
        switch (next->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            word = word_at(&call, next->k);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            word &= next->k;
            continue;
        case BPF_JMP | BPF_JA:
            index += next->k;
            continue;
        case BPF_RET | BPF_K:
            return next->k;
        case BPF_JMP | BPF_JEQ | BPF_K:
            holds = word == next->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            holds = word >= next->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            holds = (word & next->k) != 0;
            break;
        }
        index += holds ? next->jt : next->jf;
    }
    return SECCOMP_RET_KILL_PROCESS;
}
