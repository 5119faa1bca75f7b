// The reports about a plugin that ends the process. Signal handlers call them, so they allocate nothing, take
// no lock and write with `write`.
#include "foreign_contained.h"
#include "foreign_guard.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void write_all(int file, const char *text, size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(file, text, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return;
        }
        text += count;
        size -= static_cast<size_t>(count);
    }
}

/// The file of a report, prepared before anything crashes.
class ReportFile {
  public:
    bool prepare(const char *new_path, const char *new_head) {
        __atomic_store_n(&is_ready, false, __ATOMIC_SEQ_CST);
        const size_t path_size = strlen(new_path);
        const size_t head_size = strlen(new_head);
        if (path_size >= sizeof path || head_size >= sizeof head) {
            return false;
        }
        memcpy(path, new_path, path_size + 1);
        memcpy(head, new_head, head_size + 1);
        __atomic_store_n(&is_ready, true, __ATOMIC_SEQ_CST);
        return true;
    }

    /// Whether `prepare` has succeeded.
    bool is_prepared() const { return __atomic_load_n(&is_ready, __ATOMIC_SEQ_CST); }

    void write(const char *text, size_t size) {
        if (!is_prepared()) {
            return;
        }
        make_folders();
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) {
            return;
        }
        write_all(file, head, strlen(head));
        write_all(file, "\"time\":", 7);
        write_number(file, static_cast<uint64_t>(time(nullptr)));
        write_all(file, ",\"report\":\"", 11);
        write_escaped(file, text, size);
        write_all(file, "\"}\n", 3);
        close(file);
    }

  private:
    void make_folders() {
        for (char *end = path + 1; *end != 0; end++) {
            if (*end == '/') {
                *end = 0;
                mkdir(path, 0700);
                *end = '/';
            }
        }
    }

    static void write_number(int file, uint64_t number) {
        char digits[20];
        size_t first = sizeof digits;
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        write_all(file, digits + first, sizeof digits - first);
    }

    /// Writes the inside of a JSON string.
    static void write_escaped(int file, const char *text, size_t size) {
        size_t begin = 0;
        for (size_t index = 0; index < size; index++) {
            const auto byte = static_cast<unsigned char>(text[index]);
            if (byte >= 0x20 && byte != '"' && byte != '\\') {
                continue;
            }
            write_all(file, text + begin, index - begin);
            begin = index + 1;
            const char escape[] = {
                '\\', 'u', '0', '0', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
            write_all(file, escape, sizeof escape);
        }
        write_all(file, text + begin, size - begin);
    }

    bool is_ready = false;
    char path[4096];
    char head[4096];
};

ReportFile report_file;

/// What the process has still to write when it ends.
class WaitingOutput {
  public:
    void set(int new_descriptor, const void *new_bytes, const intptr_t *new_size) {
        __atomic_store_n(&size, nullptr, __ATOMIC_SEQ_CST);
        descriptor = new_descriptor;
        bytes = static_cast<const char *>(new_bytes);
        __atomic_store_n(&size, new_size, __ATOMIC_SEQ_CST);
    }

    void write() {
        const intptr_t *const waiting = __atomic_load_n(&size, __ATOMIC_SEQ_CST);
        if (waiting == nullptr) {
            return;
        }
        auto left = static_cast<size_t>(__atomic_load_n(waiting, __ATOMIC_ACQUIRE));
        for (const char *next = bytes; left > 0;) {
            // A pipe that is ready for a write takes so many bytes without a wait.
            const size_t part = left < most_at_once ? left : most_at_once;
            pollfd ready = {descriptor, POLLOUT, 0};
            if (poll(&ready, 1, longest_wait) <= 0) {
                return;
            }
            const ssize_t count = ::write(descriptor, next, part);
            if (count <= 0) {
                return;
            }
            next += count;
            left -= static_cast<size_t>(count);
        }
    }

  private:
    static constexpr size_t most_at_once = 4096;
    static constexpr int longest_wait = 200; // milliseconds
    int descriptor = -1;
    const char *bytes = nullptr;
    const intptr_t *size = nullptr;
};

WaitingOutput waiting_output;

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
    void write() { write_all(STDERR_FILENO, text, size); }

    /// The same, and to the file of reports: the process ends.
    void write_fatal() {
        write();
        report_file.write(text, size);
        waiting_output.write();
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

bool foreign_report_to(const char *path, const char *head) { return report_file.prepare(path, head); }

void foreign_report_output(int descriptor, const void *bytes, const intptr_t *size) {
    waiting_output.set(descriptor, bytes, size);
}

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
    if (!report_file.is_prepared()) {
        waiting_output.write();
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
