#define _GNU_SOURCE

#include "sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

// landlock(7). Older headers of Linux lack parts of it, so all of it is here.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { ASK_VERSION = 1, FILE_RULE = 1, PORT_RULE = 2 };
enum { BIND_TCP = 1 << 0, CONNECT_TCP = 1 << 1 };
enum { SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1 };

struct ruleset {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

struct file_rule {
    uint64_t rights;
    int32_t file;
} __attribute__((packed));

struct port_rule {
    uint64_t rights;
    uint64_t port;
};

int sandbox_landlock_version(void) {
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    return version < 0 ? 0 : (int)version;
}

int sandbox_open_place(const char *path, bool follows_links) {
    if (!follows_links) {
        const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
        const int place = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
        // Linux 5.6 has openat2(2), Landlock came later.
        if (place >= 0 || errno != ENOSYS) {
            return place;
        }
    }
    return open(path, O_PATH | O_CLOEXEC);
}

static uint64_t known_rights(int version) {
    // The count of bits of versions 1 to 5.
    static const int bits[] = {0, 13, 14, 15, 15, 16};
    return (UINT64_C(1) << bits[version > 5 ? 5 : version]) - 1;
}

int sandbox_ruleset(int version) {
    const struct ruleset ruleset = {
        .files = known_rights(version),
        .ports = version >= 4 ? BIND_TCP | CONNECT_TCP : 0,
        .scopes = version >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
    };
    // Older kernels know fewer fields.
    const size_t size = version >= 6 ? sizeof ruleset : version >= 4 ? 16 : 8;
    return (int)syscall(CREATE_RULESET, &ruleset, size, 0);
}

int sandbox_allow_file(int ruleset, int version, int file, bool is_folder, uint64_t rights) {
    const uint64_t of_files =
        SANDBOX_EXECUTE | SANDBOX_WRITE_FILE | SANDBOX_READ_FILE | SANDBOX_TRUNCATE | SANDBOX_CONTROL_DEVICE;
    struct file_rule rule = {.rights = rights & known_rights(version), .file = file};
    if (!is_folder) {
        rule.rights &= of_files;
    }
    return syscall(ADD_RULE, ruleset, FILE_RULE, &rule, 0) == 0 ? 0 : errno;
}

static int allow_port(int ruleset, uint64_t right, uint16_t port) {
    const struct port_rule rule = {.rights = right, .port = port};
    return syscall(ADD_RULE, ruleset, PORT_RULE, &rule, 0) == 0 ? 0 : errno;
}

int sandbox_allow_connecting(int ruleset, uint16_t port) { return allow_port(ruleset, CONNECT_TCP, port); }

int sandbox_allow_listening(int ruleset, uint16_t port) { return allow_port(ruleset, BIND_TCP, port); }

int sandbox_restrict(int ruleset) { return syscall(RESTRICT_SELF, ruleset, 0) == 0 ? 0 : errno; }
