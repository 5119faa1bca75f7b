#define _GNU_SOURCE

#include "linux_calls.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>

int linux_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC); }

void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

long linux_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? status.f_type : 0;
}
