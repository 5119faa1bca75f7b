#include "source.h"
#include "../instance.h"
#include <stdlib.h>
#include <unistd.h>

int source_watch(spin_self *self, struct source *source, uint32_t events) {
    if (source->descriptor < 0 || self->engine.events < 0 || (source->is_watched && events == source->events))
        return 1;
    struct epoll_event event = {.events = events, .data.ptr = source};
    int operation = source->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(self->engine.events, operation, source->descriptor, &event) != 0)
        return 0;
    source->events = events;
    source->is_watched = true;
    return 1;
}

void source_close(spin_self *self, struct source *source) {
    if (source->descriptor < 0)
        return;
    // To close it would not be enough: another instance can have one of the same request.
    if (source->is_watched && self->engine.events >= 0)
        epoll_ctl(self->engine.events, EPOLL_CTL_DEL, source->descriptor, NULL);
    close(source->descriptor);
    source->descriptor = -1;
    source->is_watched = false;
}

void source_free(spin_self *self, struct source *source) {
    source_close(self, source);
    source->next = self->dead;
    self->dead = source;
}

void sources_bury(spin_self *self) {
    for (struct source *source; (source = self->dead);) {
        self->dead = source->next;
        free(source);
    }
}
