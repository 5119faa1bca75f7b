#include "source.h"
#include "instance.h"
#include <sys/socket.h>
#include <unistd.h>

int source_watch(spin_self *self, struct source *source, uint32_t events) {
    if (source->socket < 0 || source->is_hung || (source->is_watched && source->events == events))
        return 1;
    struct epoll_event event = {.events = events, .data.ptr = source};
    if (epoll_ctl(self->engine.events, source->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, source->socket,
                  &event))
        return 0;
    source->is_watched = 1;
    source->events = events;
    return 1;
}

// A copy in another instance would keep a closed socket in the epoll instance.
static void forget(spin_self *self, struct source *source) {
    if (source->is_watched)
        epoll_ctl(self->engine.events, EPOLL_CTL_DEL, source->socket, NULL);
    source->is_watched = 0;
}

void source_hang(spin_self *self, struct source *source) {
    forget(self, source);
    source->is_hung = 1;
}

int source_take(spin_self *self, struct source *source) {
    int socket = source->socket;
    forget(self, source);
    source->socket = -1;
    return socket;
}

void source_end(spin_self *self, struct source *source) {
    if (source->socket >= 0)
        shutdown(source->socket, SHUT_RDWR);
    source_close(self, source);
}

void source_close(spin_self *self, struct source *source) {
    forget(self, source);
    if (source->socket >= 0)
        close(source->socket);
    source->socket = -1;
    source->is_hung = 0;
}
