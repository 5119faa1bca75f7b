#include "working.h"
#include "connection.h"
#include "exchange.h"
#include "handshake.h"
#include "listener.h"
#include "streams.h"
#include <poll.h>
#include <sys/eventfd.h>

/* How long the end waits until the last answers are sent, and for the requests of connections that have just come, in
 * nanoseconds. */
enum { longest_end = 1000000000, longest_arrival = 100000000 };

// What was to be done before this is done in the next turn of the thread.
static void hear_bell(spin_self *self) {
    eventfd_t rings;
    eventfd_read(self->bell, &rings);
    pthread_mutex_lock(&self->turn);
    self->is_rung = 0;
    pthread_mutex_unlock(&self->turn);
}

// Waits for connections, for the bell, or until this time.
static void wait_until(spin_self *self, int64_t due) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd places[] = {{info->epoll_fd, POLLIN, 0},
                              {self->bell, POLLIN, 0},
                              {self->leaving, POLLIN, 0},
                              {self->handshakes, POLLIN, 0}};
    MHD_UNSIGNED_LONG_LONG left;
    int64_t limit = due == INT64_MAX ? 3600000 : (due - monotonic_now()) / 1000000 + 1;
    if (MHD_get_timeout(self->daemon, &left) == MHD_YES && (int64_t)left < limit)
        limit = (int64_t)left;
    poll(places, 4, limit < 0 ? 0 : limit > 3600000 ? 3600000 : (int)limit);
    if (places[1].revents)
        hear_bell(self);
    if (places[2].revents)
        streams_notice(self);
    if (places[3].revents)
        handshakes_resume(self);
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

void *working_run(void *context) {
    spin_self *self = context;
    while (is_open(self)) {
        work(self);
        streams_tell(self);
        listeners_tell(self);
        int64_t due = exchange_expire(self, 0), connection_due = connections_expire(self);
        wait_until(self, due < connection_due ? due : connection_due);
    }
    // The socket stays open: connections wait in it until another instance takes them.
    MHD_quiesce_daemon(self->daemon);
    // No request waits from here on, so none becomes a stream behind the cut.
    exchange_expire(self, 1);
    streams_cut(self);
    for (int64_t begin = monotonic_now();;) {
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
