#include "server.h"
#include "connection.h"
#include "credentials.h"
#include "exchange.h"
#include "head.h"
#include "listener.h"
#include "listening.h"
#include "streams.h"
#include "working.h"
#include "../common/instance/create.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

int server_init(spin_self *self) {
    self->listening = self->bell = self->leaving = self->handshakes = self->folder = -1;
    self->last_listener = &self->listeners;
    self->last_ending = &self->endings;
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint64_t)monotonic_now();
    snprintf(self->nonce, sizeof self->nonce, "%016llx", (unsigned long long)random);
    return create_lock(&self->turn, &self->changed);
}

void server_free(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    while (self->call_count > 0)
        pthread_cond_wait(&self->changed, &self->turn);
    pthread_mutex_unlock(&self->turn);
    if (self->listening >= 0)
        close(self->listening);
    certificate_release(self->certificates.newest);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->turn);
}

void server_ring(spin_self *self) {
    if (self->bell < 0 || self->is_rung)
        return;
    self->is_rung = 1;
    eventfd_write(self->bell, 1);
}

void server_wake(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    server_ring(self);
    pthread_mutex_unlock(&self->turn);
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

static void close_one(int *file) {
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static void close_all(spin_self *self) {
    if (self->daemon) {
        // The socket is not the daemon's to close.
        MHD_quiesce_daemon(self->daemon);
        // It must not have connections that are paused.
        connections_resume(self);
        MHD_stop_daemon(self->daemon);
    }
    self->daemon = NULL;
    streams_tell(self);
    pthread_mutex_lock(&self->turn);
    close_one(&self->bell);
    self->is_rung = 0;
    pthread_mutex_unlock(&self->turn);
    close_one(&self->leaving);
    close_one(&self->handshakes);
    close_one(&self->folder);
}

const char *server_start(spin_self *self, char *reason, size_t size) {
    const spin_config *config = self->config;
    const char *why = certificate_prepare(self, reason, size);
    if (!why)
        why = open_folder(self, reason, size);
    if (!why)
        why = listening_open(self, reason, size);
    if (!why && ((self->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0 ||
                 (self->leaving = epoll_create1(EPOLL_CLOEXEC)) < 0 ||
                 (self->handshakes = epoll_create1(EPOLL_CLOEXEC)) < 0))
        why = "no bell can be made";
    if (!why) {
        static const struct MHD_OptionItem nothing[] = {{MHD_OPTION_END, 0, NULL}};
        int is_secure = self->certificates.newest != NULL;
        int64_t seconds = (config->idle_timeout + 999999999) / 1000000000;
        self->limit = connection_limit(config);
        self->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (is_secure ? MHD_USE_TLS : 0), 0, NULL, NULL,
            exchange_handle, self, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)self->listening,
            MHD_OPTION_CONNECTION_LIMIT, self->limit, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)seconds,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)connection_memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
            MHD_OPTION_UNESCAPE_CALLBACK, head_decode, NULL, MHD_OPTION_NOTIFY_COMPLETED, exchange_over, self,
            MHD_OPTION_NOTIFY_CONNECTION, connection_notify, self, MHD_OPTION_ARRAY,
            is_secure ? certificate_options : nothing, MHD_OPTION_END);
        if (!self->daemon)
            why = "libmicrohttpd cannot serve";
    }
    self->is_open = 1;
    if (!why && thread_start(&self->thread, working_run, self))
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
