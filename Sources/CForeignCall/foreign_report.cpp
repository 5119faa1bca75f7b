// The reports about a plugin that ends the process. Signal handlers call them, so they allocate nothing, take
// no lock and write with `write`.
#include "foreign_contained.h"
#include "foreign_ending.h"
#include "foreign_guard.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace {

/// A text in a buffer of fixed size.
class Report {
  public:
    Report &operator<<(const char *text) {
        for (; text != nullptr && *text != 0; text++) {
            put(*text);
        }
        return *this;
    }

    Report &operator<<(uint64_t number) { return print(number, 10); }

    Report &hexadecimal(uint64_t number) {
        *this << "0x";
        return print(number, 16);
    }

    /// Writes the text to the standard error output.
    void write() { foreign_write_all(STDERR_FILENO, text, size); }

    /// The same, and to the file of reports: the process ends.
    void write_fatal() {
        write();
        foreign_ending_report(text, size);
    }

  private:
    void put(char character) {
        if (size < sizeof text) {
            text[size++] = character;
        }
    }

    Report &print(uint64_t number, unsigned base) {
        char digits[20];
        size_t count = 0;
        do {
            digits[count++] = "0123456789abcdef"[number % base];
            number /= base;
        } while (number > 0);
        while (count > 0) {
            put(digits[--count]);
        }
        return *this;
    }

    size_t size = 0;
    char text[8192];
};

constexpr size_t most_trails = 64;
constexpr uint64_t most_events = 10;

// A writer reserves a slot first, and publishes it when it is written.
enum trail_use { trail_free, trail_reserved, trail_shown };
struct trail_slot {
    int use;
    foreign_trail trail;
};
trail_slot trails[most_trails];

void describe(Report &report, const foreign_trail &trail) {
    const uint64_t count = __atomic_load_n(trail.count, __ATOMIC_RELAXED);
    if (count == 0) {
        return;
    }
    report << "  loop `" << trail.loop << "`, last events of " << count << ":";
    for (uint64_t number = count - (count < most_events ? count : most_events); number < count; number++) {
        const auto event = static_cast<size_t>(trail.last[number % FOREIGN_TRAIL_LENGTH]);
        report << " " << (event < trail.event_count ? trail.events[event] : "?");
    }
    report << "\n";
}

void describe_trails(Report &report) {
    for (const trail_slot &slot : trails) {
        if (__atomic_load_n(&slot.use, __ATOMIC_ACQUIRE) == trail_shown) {
            describe(report, slot.trail);
        }
    }
}

/// Finds the file that is mapped at an address, by the lines of `/proc/self/maps`.
class MappedFile {
  public:
    explicit MappedFile(uintptr_t address) {
        const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        char bytes[1024];
        for (ssize_t count = read(file, bytes, sizeof bytes); count > 0 && !is_found;
             count = read(file, bytes, sizeof bytes)) {
            for (ssize_t index = 0; index < count && !is_found; index++) {
                if (bytes[index] == '\n') {
                    line[size] = 0;
                    is_found = has(address);
                    size = 0;
                } else if (size + 1 < sizeof line) {
                    line[size++] = bytes[index];
                }
            }
        }
        close(file);
    }

    /// Its path; NULL if no file is mapped there.
    const char *path() const { return is_found ? strchr(line, '/') : nullptr; }

  private:
    /// Whether the line is that of a mapping with the address: `7f00-7fff r-xp …`.
    bool has(uintptr_t address) const {
        const char *rest = line;
        const uintptr_t begin = number(rest);
        if (*rest++ != '-') {
            return false;
        }
        return begin <= address && address < number(rest);
    }

    static uintptr_t number(const char *&text) {
        uintptr_t value = 0;
        for (;; text++) {
            if (*text >= '0' && *text <= '9') {
                value = value << 4 | static_cast<uintptr_t>(*text - '0');
            } else if (*text >= 'a' && *text <= 'f') {
                value = value << 4 | static_cast<uintptr_t>(*text - 'a' + 10);
            } else {
                return value;
            }
        }
    }

    bool is_found = false;
    size_t size = 0;
    char line[4096 + 128];
};

void describe(Report &report, int signal, const siginfo_t *info) {
    report << "fatal: " << foreign_signal_name(signal);
    if (info->si_code > 0 && info->si_code != SI_KERNEL) {
        report << " at address ";
        report.hexadecimal(reinterpret_cast<uintptr_t>(info->si_addr));
    }
}

} // namespace

void *foreign_trail_add(const foreign_trail *trail) {
    for (trail_slot &slot : trails) {
        int use = trail_free;
        if (__atomic_compare_exchange_n(&slot.use, &use, trail_reserved, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            slot.trail = *trail;
            __atomic_store_n(&slot.use, trail_shown, __ATOMIC_RELEASE);
            return &slot;
        }
    }
    return nullptr;
}

void foreign_trail_remove(void *added) {
    if (added != nullptr) {
        __atomic_store_n(&static_cast<trail_slot *>(added)->use, trail_free, __ATOMIC_RELEASE);
    }
}

static bool is_in_worker = false;

void foreign_report_in_worker(void) { is_in_worker = true; }

void foreign_report_crash(const foreign_callee *callee, bool in_host, int signal, const siginfo_t *info) {
    Report report;
    describe(report, signal, info);
    report << (in_host ? " in a function of the host that was called by " : " in ") << callee->what << " of "
           << callee->plugin << "\n"
           << callee->origin;
    describe_trails(report);
    if (!callee->is_guarded && !is_in_worker) {
        report << "  help: with `isolation = \"guarded\"` a crash in a call of the plugin is a fault of that "
                  "call\n";
    }
    report.write_fatal();
}

void foreign_report_other_crash(int signal, const siginfo_t *info, uintptr_t code) {
    if (!foreign_ending_has_file()) {
        foreign_ending_report(nullptr, 0);
        return;
    }
    Report report;
    describe(report, signal, info);
    report << " on a thread that calls no plugin";
    if (const MappedFile file(code); file.path() != nullptr) {
        report << ", in code of `" << file.path() << "`";
    }
    report << "\n";
    describe_trails(report);
    report.write_fatal();
}

void foreign_report_exit(const foreign_callee *callee, int status) {
    Report report;
    report << "fatal: " << callee->what << " of " << callee->plugin << " ended the process with `exit(";
    if (status < 0) {
        report << "-" << static_cast<uint64_t>(-static_cast<int64_t>(status));
    } else {
        report << static_cast<uint64_t>(status);
    }
    report << ")`\n" << callee->origin;
    describe_trails(report);
    report.write_fatal();
}

void foreign_call_came_back(const foreign_callee *callee) {
    Report report;
    report << "error: " << callee->what << " of " << callee->plugin
           << " forked, and returned in the child, which ends here: a child calls `exec` or `_exit`\n";
    report.write();
    _exit(2);
}

void foreign_call_ended_thread(const foreign_callee *callee) {
    Report report;
    report << "fatal: " << callee->what << " of " << callee->plugin
           << " ended a thread of the host with `pthread_exit`\n"
           << callee->origin;
    describe_trails(report);
    report.write_fatal();
    _exit(2);
}
