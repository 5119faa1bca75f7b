#define _GNU_SOURCE

#include "linux_calls.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

int linux_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC); }

void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }
