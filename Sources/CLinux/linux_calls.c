#define _GNU_SOURCE

#include "linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

int linux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int linux_lead_group(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &all);
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return error == 0 ? posix_spawnattr_setflags(attributes, flags) : error;
}

bool linux_forbids_programs(const char *folder) {
    struct statvfs system;
    return statvfs(folder, &system) == 0 && system.f_flag & ST_NOEXEC;
}

int linux_process_descriptor(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

void linux_remove_folder(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

int linux_begin_in(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int linux_socket_pair(int sockets[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets); }

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC); }

void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

long linux_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? status.f_type : 0;
}

static int signal_pipe;

static void pass_signal(int number) {
    int before = errno;
    unsigned char byte = (unsigned char)number;
    // A full pipe has told of a signal already.
    ssize_t written = write(signal_pipe, &byte, 1);
    (void)written;
    errno = before;
}

int linux_signal_pipe(const int *signals, int count) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    signal_pipe = ends[1];
    struct sigaction action = {.sa_handler = pass_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigset_t taken;
    sigemptyset(&taken);
    for (int index = 0; index < count; index++) {
        if (sigaction(signals[index], &action, NULL) != 0)
            return -1;
        sigaddset(&taken, signals[index]);
    }
    // The program that has started this one may block them.
    pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
    return ends[0];
}

int linux_terminal_size(int terminal, unsigned short *columns, unsigned short *rows) {
    struct winsize size;
    if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return 0;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 1;
}

const char *linux_variable(size_t index) {
    // Null after clearenv(3).
    return environ == NULL ? NULL : environ[index];
}

int linux_sealed_memory(const void *bytes, size_t size) {
    const int memory = memfd_create("spinhost", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) {
        return -1;
    }
    const char *rest = bytes;
    while (size > 0) {
        const ssize_t count = write(memory, rest, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            close(memory);
            return -1;
        }
        rest += count;
        size -= (size_t)count;
    }
    if (fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
        close(memory);
        return -1;
    }
    return memory;
}
