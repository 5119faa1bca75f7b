// Calls of Linux that restrict the calling process, and those that watch such a process: landlock(7),
// seccomp(2).
//
// Functions that return an `int` return 0, or an `errno`, unless they say something else.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/types.h>

#include "sandbox_filter.h"

/// Rights to files, as bits of Landlock.
enum {
    SANDBOX_EXECUTE = 1 << 0,
    SANDBOX_WRITE_FILE = 1 << 1,
    SANDBOX_READ_FILE = 1 << 2,
    SANDBOX_READ_FOLDER = 1 << 3,
    SANDBOX_REMOVE_FOLDER = 1 << 4,
    SANDBOX_REMOVE_FILE = 1 << 5,
    SANDBOX_MAKE_FOLDER = 1 << 7,
    SANDBOX_MAKE_FILE = 1 << 8,
    SANDBOX_MAKE_SOCKET = 1 << 9,
    SANDBOX_MAKE_PIPE = 1 << 10,
    SANDBOX_MAKE_LINK = 1 << 12,
    SANDBOX_REFER = 1 << 13,
    SANDBOX_TRUNCATE = 1 << 14,
    SANDBOX_CONTROL_DEVICE = 1 << 15,
};

/// The version of Landlock that the kernel has; 0 without Landlock. From any thread.
int sandbox_landlock_version(void);

/// Opens the place of a file, to read and to write nothing (O_PATH of open(2)). It is closed in programs that
/// the process starts; -1 with an `errno`, ELOOP for a path with a symbolic link if it follows none. From any
/// thread.
int sandbox_open_place(const char *path, bool follows_links);

/// A descriptor of a set of rules for all rights that this version knows, up to version 6; -1 with an
/// `errno`. From version 4 on it also rules over TCP, and from
/// version 6 on it keeps signals and abstract sockets inside.
int sandbox_ruleset(int version);

/// Allows rights to the file or the folder of an open descriptor. Rights that the version does not know, and
/// those of folders for a file, are left out.
int sandbox_allow_file(int ruleset, int version, int file, bool is_folder, uint64_t rights);

/// Allows to connect to a TCP port.
int sandbox_allow_connecting(int ruleset, uint16_t port);

/// Allows to listen at a TCP port; 0: at one that the kernel chooses.
int sandbox_allow_listening(int ruleset, uint16_t port);

/// Puts the calling thread, and all threads and children that it starts later, under the rules, for good.
int sandbox_restrict(int ruleset);

/// Closes all descriptors but these, which must be sorted.
int sandbox_close_others(const int *kept, size_t count);

/// Has the kernel kill this process when the thread that started it ends. ESRCH: the parent is another one.
int sandbox_die_with(pid_t parent);

/// Neither this process nor its children can get rights by starting a program (PR_SET_NO_NEW_PRIVS).
int sandbox_keep_privileges(void);

/// Gives up the privileges of root, except those that are about files, over which Landlock rules.
int sandbox_drop_capabilities(void);

/// Makes the process the leader of a process group, unless it is one.
int sandbox_lead_group(void);

/// Has the process say on descriptor 2 which system call it was refused before SIGSYS ends it.
int sandbox_name_refused_call(void);

/// Whether the kernel has filters for system calls, and whether they can ask another process. From any
/// thread.
bool sandbox_has_filters(void);
bool sandbox_has_notifications(void);

/// Filters the system calls of this thread, and of the threads and children that it starts later, for good.
///
/// `listener`: a descriptor for `sandbox_receive`, or -1 if the filter asks nobody. The caller owns it.
int sandbox_filter_calls(const struct sandbox_rules *rules, int *listener);

/// A system call that waits for an answer.
struct sandbox_notification {
    uint64_t id;
    pid_t thread;
    int number;
    uint32_t machine;
    uint64_t arguments[6];
};

/// Makes the observed calls faster where the kernel can.
void sandbox_prepare_listener(int listener);

/// Waits for a system call of the filter's processes. ECANCELED: `wake` can be read. ENOENT: this call was
/// given up. EPIPE: no process with the filter lives. For one thread at a time.
int sandbox_receive(int listener, int wake, struct sandbox_notification *notification);

/// Whether the call still waits: its thread's number and memory were those of this thread when they were
/// read.
bool sandbox_is_waiting(int listener, uint64_t id);

/// Lets the call go on, or has it fail if `error` is not 0. ENOENT: it was given up.
int sandbox_answer(int listener, uint64_t id, int error);

/// The type of another process's socket, such as SOCK_DGRAM; -1 with an `errno`. From any thread.
int sandbox_socket_type(pid_t process, int descriptor);

/// Copies memory of another process; the count of bytes, or -1 with an `errno`. From any thread.
ssize_t sandbox_read_memory(pid_t process, uint64_t address, void *bytes, size_t size);
