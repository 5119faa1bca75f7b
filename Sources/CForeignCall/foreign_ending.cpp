// What a process leaves when it ends by a crash: a report in a file, and the output that it has not written yet. Signal
// handlers call these functions, so they allocate nothing, take no lock and write with `write`.
#include "foreign_ending.h"
#include "foreign_guard.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

void foreign_write_all(int file, const char *text, size_t size) {
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

namespace {

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
        foreign_write_all(file, head, strlen(head));
        foreign_write_all(file, "\"time\":", 7);
        write_number(file, static_cast<uint64_t>(time(nullptr)));
        foreign_write_all(file, ",\"report\":\"", 11);
        write_escaped(file, text, size);
        foreign_write_all(file, "\"}\n", 3);
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
        foreign_write_all(file, digits + first, sizeof digits - first);
    }

    /// Writes the inside of a JSON string.
    static void write_escaped(int file, const char *text, size_t size) {
        size_t begin = 0;
        for (size_t index = 0; index < size; index++) {
            const auto byte = static_cast<unsigned char>(text[index]);
            if (byte >= 0x20 && byte != '"' && byte != '\\') {
                continue;
            }
            foreign_write_all(file, text + begin, index - begin);
            begin = index + 1;
            const char escape[] = {
                '\\', 'u', '0', '0', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
            foreign_write_all(file, escape, sizeof escape);
        }
        foreign_write_all(file, text + begin, size - begin);
    }

    bool is_ready = false;
    char path[4096];
    char head[4096];
};

ReportFile report_file;

/// The output that the process has not written yet.
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

} // namespace

bool foreign_report_to(const char *path, const char *head) { return report_file.prepare(path, head); }

void foreign_report_output(int descriptor, const void *bytes, const intptr_t *size) {
    waiting_output.set(descriptor, bytes, size);
}

bool foreign_ending_has_file() { return report_file.is_prepared(); }

void foreign_ending_report(const char *text, size_t size) {
    if (text != nullptr) {
        report_file.write(text, size);
    }
    waiting_output.write();
}
