#define _GNU_SOURCE

#include "linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

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
