// Calls on threads that come and go, watched from another one.
#include <foreign_call.h>
#include <foreign_guard.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::atomic<int> failures{0};

void check(const char *what, bool holds) {
    if (!holds) {
        fprintf(stderr, "fails: %s\n", what);
        failures++;
    }
}

struct Gate {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_open{false};
};

void count(void *context) { ++*static_cast<int64_t *>(context); }

void wait_at(void *context) {
    auto *gate = static_cast<Gate *>(context);
    gate->has_begun = true;
    while (!gate->is_open) {
        std::this_thread::yield();
    }
}

foreign_callee *callee(const char *what) {
    return foreign_callee_create(FOREIGN_EFFECT, what, "f", "plugin `p`", "", nullptr, false,
                                 foreign_quarantine_create());
}

} // namespace

int main() {
    const foreign_callee *counting = callee("effect `count`");
    const foreign_callee *waiting = callee("effect `wait`");
    std::atomic<bool> is_done{false};
    Gate gate;
    std::thread waiter([&] {
        char message[16];
        check("a call waits",
              foreign_call_back(waiting, wait_at, &gate, message, sizeof message) == FOREIGN_RETURNED);
    });
    std::vector<std::thread> workers;
    for (int number = 0; number < 3; number++) {
        workers.emplace_back([&] {
            while (!is_done) {
                // A thread of its own for some calls: they enter the list and leave it.
                std::thread([&] {
                    int64_t calls = 0;
                    char message[16];
                    for (int round = 0; round < 1000; round++) {
                        foreign_call_back(counting, count, &calls, message, sizeof message);
                    }
                    check("every call is made", calls == 1000);
                }).join();
            }
        });
    }
    while (!gate.has_begun) {
        std::this_thread::yield();
    }
    uint64_t serial = 0;
    for (int look = 0; look < 2000; look++) {
        foreign_running_call running[8];
        const size_t count = foreign_running_calls(running, 8);
        size_t seen = 0;
        for (size_t index = 0; index < count && index < 8; index++) {
            check("only what is called is seen",
                  running[index].callee == counting || running[index].callee == waiting);
            if (running[index].callee == waiting) {
                seen++;
                check("a call that lasts is the same", serial == 0 || running[index].serial == serial);
                serial = running[index].serial;
                check("by its words", strcmp(running[index].callee->what, "effect `wait`") == 0);
            }
        }
        check("the call that waits is seen", seen == 1);
    }
    is_done = true;
    gate.is_open = true;
    waiter.join();
    for (std::thread &worker : workers) {
        worker.join();
    }
    foreign_running_call running[1];
    check("all calls are over", foreign_running_calls(running, 1) == 0);
    return failures == 0 ? 0 : 1;
}
