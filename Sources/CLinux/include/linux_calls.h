// Calls of Linux that Swift's `Glibc` does not show.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

/// The next connection of a socket that listens, closed in programs that the process starts (accept4(2)); -1
/// with an `errno` when there is none. From any thread.
int linux_accept(int socket);

/// What tools call the calling thread; Linux keeps the first 15 bytes (PR_SET_NAME of prctl(2)). From any
/// thread.
void linux_name_thread(const char *name);

/// The number of the kind of file system that has the path, `f_type` of statfs(2); 0 if the path cannot be
/// reached. From any thread.
long linux_file_system(const char *path);
