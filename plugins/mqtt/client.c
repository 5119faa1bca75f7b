#include "client.h"
#include "call.h"
#include "connection.h"
#include "library.h"
#include "subscription.h"
#include "../common/instance/create.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int client_init(spin_self *self) {
    self->bell = -1;
    self->last_new = &self->first_new;
    self->last_call = &self->calls;
    hold_init(&self->hold);
    return create_lock(&self->turn, &self->changed);
}

void client_free(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    while (self->call_count > 0)
        pthread_cond_wait(&self->changed, &self->turn);
    pthread_mutex_unlock(&self->turn);
    if (self->bell >= 0)
        close(self->bell);
    hold_free(&self->hold);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->turn);
}

void client_ring(spin_self *self) { eventfd_write(self->bell, 1); }

// Waits for the socket, for the bell, or until this time.
static void wait_until(spin_self *self, int64_t due) {
    short events;
    int socket = link_socket(self, &events);
    struct pollfd places[] = {{self->bell, POLLIN, 0}, {socket, events, 0}};
    int64_t left = (due - monotonic_now()) / 1000000 + 1;
    poll(places, 2, left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left);
    eventfd_t rings;
    if (places[0].revents)
        eventfd_read(self->bell, &rings);
    link_serve(self, places[1].revents);
}

static int64_t sooner(int64_t one, int64_t other) { return one < other ? one : other; }

static void *run(void *context) {
    spin_self *self = context;
    while (calls_take(self)) {
        int64_t due = subscriptions_emit(self);
        due = sooner(due, link_advance(self));
        due = sooner(due, subscriptions_send(self));
        publish_send(self);
        link_write(self);
        connection_tell(self);
        wait_until(self, due);
    }
    link_end(self);
    calls_drop(self);
    subscriptions_free(self);
    memset(self->sendings, 0, sizeof self->sendings);
    library_close(self);
    return NULL;
}

const char *client_start(spin_self *self, char *reason, size_t size) {
    if (self->bell < 0 && (self->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        return "no bell can be made";
    const char *why = library_open(self, reason, size);
    if (why)
        return why;
    snprintf(self->link.reason, sizeof self->link.reason, "the client has not connected yet");
    self->link.changes = 1;
    self->hold.restored = self->hold.count;
    self->hold.patience = monotonic_now() + SUBSCRIPTION_PATIENCE;
    self->is_open = 1;
    if (!thread_start(&self->thread, run, self))
        return NULL;
    library_close(self);
    return "no thread can be started";
}

void client_stop(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    self->is_open = 0;
    pthread_mutex_unlock(&self->turn);
    client_ring(self);
    pthread_join(self->thread, NULL);
}
