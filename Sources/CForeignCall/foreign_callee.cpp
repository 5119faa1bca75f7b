#include "foreign_callee.h"

#include "foreign_thread.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

__thread foreign_thread foreign_this_thread __attribute__((tls_model("initial-exec")));

namespace {

// Enough for all handlers, also those of the Swift runtime.
constexpr size_t stack_size = 64 * 1024;
constexpr size_t stack_guard = 4096;
// The least size of a stack that other code gave a thread, for handlers to use it.
constexpr size_t least_stack = 16 * 1024;

pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
foreign_thread *list = nullptr;
pthread_once_t key_once = PTHREAD_ONCE_INIT;
pthread_key_t key;

void give_stack(foreign_thread *thread) {
    stack_t before = {};
    if (sigaltstack(nullptr, &before) != 0 ||
        ((before.ss_flags & SS_DISABLE) == 0 && before.ss_size >= least_stack)) {
        return;
    }
    void *memory = mmap(nullptr, stack_guard + stack_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    mprotect(memory, stack_guard, PROT_NONE);
    stack_t stack = {};
    stack.ss_sp = static_cast<char *>(memory) + stack_guard;
    stack.ss_size = stack_size;
    if (sigaltstack(&stack, nullptr) != 0) {
        munmap(memory, stack_guard + stack_size);
        return;
    }
    thread->stack = memory;
}

void take_stack(foreign_thread *thread) {
    if (thread->stack == nullptr) {
        return;
    }
    stack_t current = {};
    if (sigaltstack(nullptr, &current) == 0 &&
        current.ss_sp == static_cast<char *>(thread->stack) + stack_guard) {
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        if (sigaltstack(&none, nullptr) != 0) {
            return;
        }
    }
    munmap(thread->stack, stack_guard + stack_size);
    thread->stack = nullptr;
}

void end_thread(void *argument) {
    auto *thread = static_cast<foreign_thread *>(argument);
    pthread_mutex_lock(&list_lock);
    (thread->previous == nullptr ? list : thread->previous->next) = thread->next;
    if (thread->next != nullptr) {
        thread->next->previous = thread->previous;
    }
    pthread_mutex_unlock(&list_lock);
    take_stack(thread);
    thread->has_begun = false;
    // A destructor that runs later may call a plugin again. The thread then enters the list again.
    thread->serial = 0;
}

const char *copy(const char *text) {
    char *made = strdup(text);
    if (made == nullptr) {
        abort();
    }
    return made;
}

} // namespace

void foreign_thread_begin() {
    foreign_thread *thread = &foreign_this_thread;
    if (__builtin_expect(thread->has_begun, 1)) {
        return;
    }
    thread->has_begun = true;
    pthread_once(&key_once, [] {
        if (pthread_key_create(&key, end_thread) != 0) {
            abort();
        }
    });
    give_stack(thread);
    pthread_mutex_lock(&list_lock);
    thread->previous = nullptr;
    thread->next = list;
    if (list != nullptr) {
        list->previous = thread;
    }
    list = thread;
    pthread_mutex_unlock(&list_lock);
    // Otherwise the list would keep the memory of a thread that has ended.
    if (pthread_setspecific(key, thread) != 0) {
        abort();
    }
}

foreign_callee *foreign_callee_create(int32_t role, const char *what, const char *name, const char *plugin,
                                      const char *origin, const void *owner, bool is_guarded,
                                      int32_t *quarantined) {
    auto *made = static_cast<foreign_callee *>(malloc(sizeof(foreign_callee)));
    if (made == nullptr) {
        abort();
    }
    *made = foreign_callee{role,       is_guarded, false,        false,        quarantined,
                           copy(what), copy(name), copy(plugin), copy(origin), owner};
    return made;
}

void foreign_callee_destroy(foreign_callee *callee) {
    const char *texts[] = {callee->what, callee->name, callee->plugin, callee->origin};
    for (const char *text : texts) {
        free(const_cast<char *>(text));
    }
    free(callee);
}

void foreign_quarantine_destroy(int32_t *quarantined) { free(quarantined); }

int32_t *foreign_quarantine_create(void) {
    auto *made = static_cast<int32_t *>(calloc(1, sizeof(int32_t)));
    if (made == nullptr) {
        abort();
    }
    return made;
}

bool foreign_is_quarantined(const int32_t *quarantined) {
    return __atomic_load_n(quarantined, __ATOMIC_ACQUIRE) != 0;
}

bool foreign_callee_settle(foreign_callee *callee) {
    return !__atomic_load_n(&callee->is_settled, __ATOMIC_RELAXED) &&
           !__atomic_exchange_n(&callee->is_settled, true, __ATOMIC_RELAXED);
}

size_t foreign_running_calls(foreign_running_call *calls, size_t capacity) {
    size_t count = 0;
    pthread_mutex_lock(&list_lock);
    for (const foreign_thread *thread = list; thread != nullptr; thread = thread->next) {
        // A call may begin or end between the two reads. It then counts as a call that has just begun.
        const uint64_t serial = __atomic_load_n(&thread->serial, __ATOMIC_RELAXED);
        const foreign_callee *callee = __atomic_load_n(&thread->callee, __ATOMIC_RELAXED);
        if (callee == nullptr) {
            continue;
        }
        if (count < capacity) {
            calls[count] = foreign_running_call{reinterpret_cast<uintptr_t>(thread), serial, callee};
        }
        count++;
    }
    pthread_mutex_unlock(&list_lock);
    return count;
}

const foreign_callee *foreign_callee_current(void) { return foreign_this_thread.callee; }
