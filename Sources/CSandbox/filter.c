#include "calls.h"
#include "numbers.h"
#include "program.h"
#include "sandbox_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>

// What `refuses_nothing` makes of a refusal.
static uint32_t observed(const struct sandbox_rules *rules) {
    return rules->asks_for_accesses ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
}

static uint32_t refused(const struct sandbox_rules *rules, uint32_t error) {
    if (rules->asks_for_accesses || rules->refuses_nothing) {
        return observed(rules);
    }
    return SECCOMP_RET_ERRNO | error;
}

static uint32_t trapped(const struct sandbox_rules *rules) {
    return rules->refuses_nothing ? observed(rules) : SECCOMP_RET_TRAP;
}

static uint32_t child(const struct sandbox_rules *rules) {
    if (rules->refuses_nothing) {
        return observed(rules);
    }
    if (!rules->allows_children) {
        return refused(rules, EPERM);
    }
    return rules->asks_for_children ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
}

static void answer_clone(struct program *program) {
    const struct sandbox_rules *rules = program->rules;
    load_argument(program, 0);
    answer_if_any(program, NAMESPACE_FLAGS, trapped(rules));
    answer_if_any(program, OTHER_PARENT_FLAGS, refused(rules, EPERM));
    answer_if_any(program, THREAD_FLAG, SECCOMP_RET_ALLOW);
    answer(program, child(rules));
}

// Only itself by its number: 0 and negative numbers are groups, which may have the host.
static void answer_signal(struct program *program) {
    const struct sandbox_rules *rules = program->rules;
    if (!(rules->allows_children && rules->scopes_signals)) {
        load_argument(program, 0);
        answer_unless(program, (uint32_t)rules->process, refused(rules, EPERM));
    }
    answer(program, SECCOMP_RET_ALLOW);
}

// The handler that names refused calls stays. No rule allows another one, so nobody is told: posix_spawn(3)
// and crash handlers try it for each signal.
static void answer_signal_action(struct program *program) {
    const uint32_t refusal =
        program->rules->refuses_nothing ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (uint32_t)EPERM;
    load_argument(program, 0);
    put(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SIGSYS_NUMBER);
    answer(program, SECCOMP_RET_ALLOW);
    load_argument(program, 1);
    answer_unless(program, 0, refusal);
    load_upper_half(program, 1);
    answer_unless(program, 0, refusal);
    answer(program, SECCOMP_RET_ALLOW);
}

static void answer_own(struct program *program) {
    load_argument(program, 0);
    answer_if(program, 0, SECCOMP_RET_ALLOW);
    answer_if(program, (uint32_t)program->rules->process, SECCOMP_RET_ALLOW);
    answer(program, refused(program->rules, EPERM));
}

// The first argument is a kind of target. A 0 as the second one is the caller, or the caller's group, which
// it leads.
static void answer_priority(struct program *program) {
    load_argument(program, 1);
    answer_unless(program, 0, refused(program->rules, EPERM));
    load_argument(program, 0);
    // PRIO_PROCESS of setpriority(2), IOPRIO_WHO_PROCESS of ioprio_set(2). PRIO_PGRP is 1, too: the group is
    // its own.
    answer_if(program, 0, SECCOMP_RET_ALLOW);
    answer_if(program, 1, SECCOMP_RET_ALLOW);
    answer(program, refused(program->rules, EPERM));
}

static void answer_memory_file(struct program *program) {
    // The exec rules of Landlock do not cover files without a name.
    if (program->rules->allows_programs) {
        load_argument(program, 1);
        answer_if_any(program, NO_PROGRAM_FLAG, SECCOMP_RET_ALLOW);
        answer(program, program->rules->refuses_nothing ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS);
    }
    answer(program, SECCOMP_RET_ALLOW);
}

// Files and named pipes, no devices.
static void answer_node(struct program *program, int argument) {
    load_argument(program, argument);
    keep_bits(program, KIND_OF_NODE);
    answer_if(program, 0, observed(program->rules));
    answer_if(program, FILE_NODE, observed(program->rules));
    answer_if(program, PIPE_NODE, observed(program->rules));
    answer(program, refused(program->rules, EPERM));
}

static void answer_socket(struct program *program) {
    const struct sandbox_rules *rules = program->rules;
    const uint32_t refusal = refused(rules, EACCES);
    load_argument(program, 0);
    answer_if(program, LOCAL, rules->allows_local_sockets ? SECCOMP_RET_ALLOW : refusal);
    if (rules->connects_to_ports || rules->listens_at_ports) {
        // For either family, the check continues two instructions later.
        put(program, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, INTERNET);
        put(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, INTERNET_6);
        answer(program, refusal);
        load_argument(program, 1);
        keep_bits(program, 0xf);
        answer_unless(program, STREAM, refusal);
        // Landlock's rules are for TCP. Other protocols with streams, such as MPTCP, would go past them.
        load_argument(program, 2);
        answer_if(program, 0, SECCOMP_RET_ALLOW);
        answer_if(program, TCP, SECCOMP_RET_ALLOW);
    }
    answer(program, refusal);
}

// A pair for datagrams could send to any other local socket.
static void answer_pair(struct program *program) {
    const uint32_t refusal = refused(program->rules, EACCES);
    load_argument(program, 0);
    answer_unless(program, LOCAL, refusal);
    if (!program->rules->allows_local_sockets) {
        load_argument(program, 1);
        keep_bits(program, 0xf);
        answer_if(program, STREAM, SECCOMP_RET_ALLOW);
        answer_if(program, PACKETS, SECCOMP_RET_ALLOW);
        answer(program, refusal);
    }
    answer(program, SECCOMP_RET_ALLOW);
}

// TCP's fast open connects without asking Landlock.
static void answer_send(struct program *program, int flags) {
    load_argument(program, flags);
    answer_if_any(program, FAST_OPEN_FLAG, refused(program->rules, EOPNOTSUPP));
    answer(program, SECCOMP_RET_ALLOW);
}

static void answer_send_to(struct program *program) {
    if (!program->rules->allows_local_sockets) {
        const uint32_t refusal = refused(program->rules, EACCES);
        load_argument(program, 4);
        answer_unless(program, 0, refusal);
        load_upper_half(program, 4);
        answer_unless(program, 0, refusal);
    }
    answer_send(program, 3);
}

static void answer_socket_option(struct program *program) {
    const uint32_t socket_level = 1;
    load_argument(program, 1);
    answer_unless(program, socket_level, SECCOMP_RET_ALLOW);
    load_argument(program, 2);
    answer_if_listed(program, refused_socket_options, 4, refused(program->rules, EPERM));
    answer(program, SECCOMP_RET_ALLOW);
}

static void answer_control(struct program *program) {
    const uint32_t refusal = refused(program->rules, EPERM);
    load_argument(program, 1);
    answer_if_listed(program, allowed_controls, 6, SECCOMP_RET_ALLOW);
    answer_if_listed(program, refused_controls, 10, refusal);
    keep_bits(program, 0xff00);
    answer_if_listed(program, refused_kinds_of_control, 3, refusal);
    answer(program, SECCOMP_RET_ALLOW);
}

static void answer_call(struct program *program, enum rule rule) {
    const struct sandbox_rules *rules = program->rules;
    switch (rule) {
    case ALLOW:
        return answer(program, SECCOMP_RET_ALLOW);
    case OBSERVED:
        return answer(program, observed(rules));
    case REFUSE:
        return answer(program, refused(rules, EPERM));
    case TRAP:
        return answer(program, trapped(rules));
    case CLONE:
        return answer_clone(program);
    case CLONE_BY_STRUCT:
        // Its flags lie in memory, where no filter can read them.
        return answer(program, SECCOMP_RET_ERRNO | ENOSYS);
    case FORK:
        return answer(program, child(rules));
    case EXECUTE:
        return answer(program, rules->allows_programs ? observed(rules) : refused(rules, EACCES));
    case SIGNAL:
        return answer_signal(program);
    case SIGNAL_ACTION:
        return answer_signal_action(program);
    case SIGNAL_BY_DESCRIPTOR:
        return answer(program, rules->allows_children && rules->scopes_signals ? SECCOMP_RET_ALLOW
                                                                               : refused(rules, EPERM));
    case OWN:
        return answer_own(program);
    case PRIORITY:
        return answer_priority(program);
    case PROCESS_CONTROL:
        load_argument(program, 0);
        answer_if_listed(program, allowed_process_controls,
                         sizeof allowed_process_controls / sizeof(uint32_t), SECCOMP_RET_ALLOW);
        return answer(program, refused(rules, EPERM));
    case PERSONALITY:
        load_argument(program, 0);
        // A question.
        answer_if(program, 0xffffffff, SECCOMP_RET_ALLOW);
        return answer(program, trapped(rules));
    case MEMORY_FILE:
        return answer_memory_file(program);
    case CONTROL:
        return answer_control(program);
    case DESCRIPTOR_CONTROL:
        load_argument(program, 1);
        answer_if_listed(program, refused_descriptor_controls, 4, refused(rules, EPERM));
        return answer(program, SECCOMP_RET_ALLOW);
    case NODE:
        return answer_node(program, 1);
    case NODE_AT:
        return answer_node(program, 2);
    case SOCKET:
        return answer_socket(program);
    case PAIR:
        return answer_pair(program);
    case CONNECT:
        return answer(program, rules->connects_to_ports || rules->allows_local_sockets
                                   ? observed(rules)
                                   : refused(rules, EACCES));
    case BIND:
        return answer(program, rules->listens_at_ports ? observed(rules) : refused(rules, EACCES));
    case LISTEN:
        return answer(program, rules->listens_at_ports ? SECCOMP_RET_ALLOW : refused(rules, EACCES));
    case SEND:
        return answer_send_to(program);
    case SEND_MESSAGE:
        return answer_send(program, 2);
    case SEND_MESSAGES:
        return answer_send(program, 3);
    case SOCKET_OPTION:
        return answer_socket_option(program);
    }
}

static void answer_calls(struct program *program, const struct sandbox_call *const *sorted, size_t count) {
    const size_t few = 4;
    if (count > few) {
        // A kernel asks the filter for each number once, to know what it need not ask for later.
        const size_t half = count / 2;
        put(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1,
            (uint32_t)sandbox_number_of(sorted[half], program->machine));
        const size_t jump = program->count;
        put(program, BPF_JMP | BPF_JA, 0, 0, 0);
        answer_calls(program, sorted, half);
        if (jump < program->capacity) {
            program->instructions[jump].k = (uint32_t)(program->count - jump - 1);
        }
        return answer_calls(program, sorted + half, count - half);
    }
    for (size_t index = 0; index < count; index++) {
        const size_t head = program->count;
        put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0,
            (uint32_t)sandbox_number_of(sorted[index], program->machine));
        answer_call(program, sorted[index]->rule);
        if (program->count - head - 1 > UINT8_MAX) {
            // A jump has 8 bits. The filter then has no room, which the caller sees.
            program->count = program->capacity + 1;
            return;
        }
        if (head < program->capacity) {
            program->instructions[head].jf = (uint8_t)(program->count - head - 1);
        }
    }
    answer(program, program->rules->refuses_nothing ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOSYS);
}

size_t sandbox_write_filter(const struct sandbox_rules *rules, uint32_t machine,
                            struct sock_filter *instructions, size_t capacity) {
    if (machine != AUDIT_ARCH_X86_64 && machine != AUDIT_ARCH_AARCH64) {
        return 0;
    }
    struct program program = {instructions, 0, capacity, rules, machine};
    load(&program, offsetof(struct seccomp_data, arch));
    // Calls of another machine have other numbers: those of 32 bits, which this one has, too.
    answer_unless(&program, machine, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
    if (machine == AUDIT_ARCH_X86_64) {
        // Those of x32 say that their machine is x86_64.
        const uint32_t x32 = 0x40000000;
        put(&program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, x32);
        answer(&program, SECCOMP_RET_KILL_PROCESS);
    }
    const struct sandbox_call *sorted[SANDBOX_CALLS];
    const size_t count = sandbox_sort_calls(machine, sorted);
    answer_calls(&program, sorted, count);
    return program.count <= capacity ? program.count : 0;
}
