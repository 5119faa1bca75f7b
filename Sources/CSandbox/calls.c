#include "calls.h"
#include "sandbox_filter.h"

#include <linux/audit.h>

enum { NONE = -1 };

static const struct sandbox_call calls[] = {
#define CALL(name, x86_64, aarch64, rule) {#name, x86_64, aarch64, rule},
#include "call_table.h"
#undef CALL
};

enum { CALLS = sizeof calls / sizeof calls[0] };

_Static_assert((int)CALLS <= (int)SANDBOX_CALLS, "the calls have room");

int sandbox_number_of(const struct sandbox_call *call, uint32_t machine) {
    return machine == AUDIT_ARCH_X86_64 ? call->x86_64 : call->aarch64;
}

size_t sandbox_sort_calls(uint32_t machine, const struct sandbox_call *sorted[SANDBOX_CALLS]) {
    size_t count = 0;
    for (size_t index = 0; index < CALLS; index++) {
        const int number = sandbox_number_of(&calls[index], machine);
        if (number == NONE) {
            continue;
        }
        size_t place = count++;
        for (; place > 0 && sandbox_number_of(sorted[place - 1], machine) > number; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = &calls[index];
    }
    return count;
}

const char *sandbox_call_name(uint32_t machine, int number) {
    if (machine != AUDIT_ARCH_X86_64 && machine != AUDIT_ARCH_AARCH64) {
        return NULL;
    }
    for (size_t index = 0; index < CALLS; index++) {
        if (number >= 0 && sandbox_number_of(&calls[index], machine) == number) {
            return calls[index].name;
        }
    }
    return NULL;
}

uint32_t sandbox_machine(void) {
#if defined(__x86_64__)
    return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    return AUDIT_ARCH_AARCH64;
#else
    return 0;
#endif
}
