// Calls of Linux that Swift's `Glibc` does not show.
#pragma once

#include <dirent.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// The next connection of a socket that listens, closed in programs that the process starts (accept4(2)); -1
/// with an `errno` when there is none. From any thread.
int linux_accept(int socket);

/// The name of an entry of a folder; it lives as long as the entry. Swift would copy all 256 bytes of `d_name`, although an
/// entry has only those of its name: it would read behind the system's buffer.
static inline const char *linux_entry_name(const struct dirent *entry) { return entry->d_name; }

/// What tools call the calling thread; Linux keeps the first 15 bytes (PR_SET_NAME of prctl(2)). From any
/// thread.
void linux_name_thread(const char *name);

/// Writes the number of each of these signals into a pipe from now on, one byte each, in place of what the signal
/// does else, and lets the calling thread get them. Returns the end of the pipe to read from; -1 with an `errno`. It must be called once at most.
int linux_signal_pipe(const int *signals, int count);

/// The variable of the environment at an index, as `NAME=VALUE`; null past the last one. No other thread may change
/// the environment meanwhile.
const char *linux_variable(size_t index);

/// The columns and rows of a terminal; false if the descriptor is not of a terminal, or its size is not known. From any thread.
int linux_terminal_size(int terminal, unsigned short *columns, unsigned short *rows);

/// The number of the kind of file system that has the path, `f_type` of statfs(2); 0 if the path cannot be
/// reached. From any thread.
long linux_file_system(const char *path);

/// Sends one datagram to the Unix socket of that name, and a descriptor with it unless that is negative
/// (sendmsg(2)). A name that begins with `@` is one without a file. Waits at most five seconds for the receiver.
/// Returns 0, or an `errno`. From any thread.
int linux_send_datagram(const char *name, const void *bytes, size_t size, int descriptor);

/// A descriptor of a file in memory that has these bytes and that nobody can change (memfd_create(2)), closed in
/// programs that the process starts; -1 with an `errno` if it cannot be made. From any thread.
int linux_sealed_memory(const void *bytes, size_t size);

/// A descriptor that becomes readable when a child process ends (pidfd_open(2)), closed in programs that the process
/// starts; -1 with an `errno`. From any thread.
int linux_process_descriptor(int process);

/// Has a program that is started lead a process group of its own, block no signal, and handle each by its default
/// (posix_spawnattr_setflags(3)). Returns 0, or an `errno`. From any thread.
int linux_lead_group(posix_spawnattr_t *attributes);

/// Sends a descriptor over a connected local socket (sendmsg(2)); the caller keeps its own. Returns 0, or an `errno`.
/// From any thread.
int linux_send_descriptor(int socket, int descriptor);

/// Waits for a descriptor that `linux_send_descriptor` sends (recvmsg(2)), closed in programs that the process starts.
/// Returns -1 with an `errno`: EPIPE when the other side has closed the socket. From any thread.
int linux_receive_descriptor(int socket);

/// Has a program that is started begin in that folder, after the actions so far
/// (posix_spawn_file_actions_addchdir_np(3)). Returns 0, or an `errno`. From any thread.
int linux_begin_in(posix_spawn_file_actions_t *actions, const char *folder);

/// Makes two connected local sockets, closed in programs that the process starts (socketpair(2)). Returns 0, or -1 with
/// an `errno`. From any thread.
int linux_socket_pair(int sockets[2]);

/// Makes a pipe, closed in programs that the process starts (pipe2(2)): the end to read from, and that to write to.
/// Returns 0, or -1 with an `errno`. From any thread.
int linux_pipe(int ends[2]);

/// Removes a folder with all that is in it, and follows no links (nftw(3)). What cannot be removed stays. No process
/// may change the folder meanwhile. From any thread.
void linux_remove_folder(const char *path);

/// Has a program that is started close its descriptors from this one on, after the actions so far
/// (posix_spawn_file_actions_addclosefrom_np(3)). Returns 0, or an `errno`. From any thread.
int linux_close_from(posix_spawn_file_actions_t *actions, int first);

/// Whether a folder lies on a file system from which neither programs nor libraries can be run (`noexec` of mount(8)).
/// False if the system does not say. From any thread.
bool linux_forbids_programs(const char *folder);
