#include "server.h"
#include "connection.h"
#include "exchange.h"
#include "head.h"
#include "listener.h"
#include "listening.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

/* How long the end waits until the last answers are sent, and for the requests of connections that have just come, in
 * nanoseconds. */
enum { longest_end = 1000000000, longest_arrival = 100000000 };

int server_init(spin_self *self) {
    self->listening = self->bell = self->folder = -1;
    self->last_listener = &self->listeners;
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint64_t)monotonic_now();
    snprintf(self->nonce, sizeof self->nonce, "%016llx", (unsigned long long)random);
    int error = pthread_mutex_init(&self->turn, NULL);
    if (error)
        return error;
    error = pthread_cond_init(&self->changed, NULL);
    if (error)
        pthread_mutex_destroy(&self->turn);
    return error;
}

void server_free(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    while (self->listener_count > 0)
        pthread_cond_wait(&self->changed, &self->turn);
    pthread_mutex_unlock(&self->turn);
    if (self->listening >= 0)
        close(self->listening);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->turn);
}

void server_ring(spin_self *self) {
    if (self->bell >= 0)
        eventfd_write(self->bell, 1);
}

void server_wake(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    server_ring(self);
    pthread_mutex_unlock(&self->turn);
}

// Waits for connections, for the bell, or until this time.
static void wait_until(spin_self *self, int64_t due) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd places[] = {{info->epoll_fd, POLLIN, 0}, {self->bell, POLLIN, 0}};
    MHD_UNSIGNED_LONG_LONG left;
    int64_t limit = due == INT64_MAX ? 3600000 : (due - monotonic_now()) / 1000000 + 1;
    if (MHD_get_timeout(self->daemon, &left) == MHD_YES && (int64_t)left < limit)
        limit = (int64_t)left;
    poll(places, 2, limit < 0 ? 0 : limit > 3600000 ? 3600000 : (int)limit);
    eventfd_t rings;
    if (places[1].revents)
        eventfd_read(self->bell, &rings);
}

static int is_open(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    int is_open = self->is_open;
    pthread_mutex_unlock(&self->turn);
    return is_open;
}

static size_t exchanges(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    size_t count = self->exchanges;
    pthread_mutex_unlock(&self->turn);
    return count;
}

static unsigned connections(spin_self *self) {
    return MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

static void work(spin_self *self) {
    unsigned before = connections(self);
    MHD_run(self->daemon);
    // With the most connections, the library looks for new ones only in the run after one has ended.
    if (before >= self->limit && connections(self) < before)
        MHD_run(self->daemon);
}

static void *run(void *context) {
    spin_self *self = context;
    while (is_open(self)) {
        work(self);
        listeners_tell(self);
        int64_t due = exchange_expire(self, 0), connection_due = connections_expire(self);
        wait_until(self, due < connection_due ? due : connection_due);
    }
    // The socket stays open: connections wait in it until another instance takes them.
    MHD_quiesce_daemon(self->daemon);
    for (int64_t begin = monotonic_now();;) {
        exchange_expire(self, 1);
        work(self);
        int64_t now = monotonic_now();
        if (exchanges(self) > 0 && now < begin + longest_end)
            wait_until(self, begin + longest_end);
        else if (self->fresh > 0 && now < begin + longest_arrival)
            wait_until(self, begin + longest_arrival);
        else
            return NULL;
    }
}

static const char *open_folder(spin_self *self, char *reason, size_t size) {
    if (self->config->files.size == 0)
        return NULL;
    self->folder = open(self->config->files.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (self->folder >= 0)
        return NULL;
    const char *cause = strerrordesc_np(errno);
    snprintf(reason, size, "setting `files`: cannot open the folder `%s`: %s", self->config->files.data,
             cause ? cause : "unknown error");
    return reason;
}

/* The memory of a connection for both heads, and the files that the process may need for other things. */
enum { connection_memory = 65536, other_files = 100 };

// How many connections there may be at a time: not more than the process may open files.
static unsigned connection_limit(const spin_config *config) {
    struct rlimit files;
    rlim_t wanted = (rlim_t)config->most_connections;
    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == RLIM_INFINITY)
        return (unsigned)wanted;
    rlim_t most = files.rlim_cur > 2 * other_files ? files.rlim_cur - other_files : files.rlim_cur / 2;
    return (unsigned)(most < wanted ? most : wanted);
}

static void close_all(spin_self *self) {
    if (self->daemon) {
        // The socket is not the daemon's to close.
        MHD_quiesce_daemon(self->daemon);
        MHD_stop_daemon(self->daemon);
    }
    self->daemon = NULL;
    pthread_mutex_lock(&self->turn);
    if (self->bell >= 0)
        close(self->bell);
    self->bell = -1;
    pthread_mutex_unlock(&self->turn);
    if (self->folder >= 0)
        close(self->folder);
    self->folder = -1;
}

const char *server_start(spin_self *self, char *reason, size_t size) {
    const spin_config *config = self->config;
    const char *why = open_folder(self, reason, size);
    if (!why)
        why = listening_open(self, reason, size);
    if (!why && (self->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        why = "no bell can be made";
    if (!why) {
        self->limit = connection_limit(config);
        int64_t seconds = (config->idle_timeout + 999999999) / 1000000000;
        self->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, exchange_handle, self,
            MHD_OPTION_LISTEN_SOCKET, (MHD_socket)self->listening, MHD_OPTION_CONNECTION_LIMIT, self->limit,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)connection_memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
            head_decode, NULL, MHD_OPTION_NOTIFY_COMPLETED, exchange_over, self, MHD_OPTION_NOTIFY_CONNECTION,
            connection_notify, self, MHD_OPTION_END);
        if (!self->daemon)
            why = "libmicrohttpd cannot serve";
    }
    self->is_open = 1;
    if (!why && thread_start(&self->thread, run, self))
        why = "no thread can be started";
    if (why)
        close_all(self);
    return why;
}

void server_stop(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    self->is_open = 0;
    pthread_mutex_unlock(&self->turn);
    server_wake(self);
    pthread_join(self->thread, NULL);
    listeners_end(self);
    close_all(self);
}
