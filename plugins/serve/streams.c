#include "streams.h"
#include "exchanges.h"
#include "stream.h"
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

SPIN_EMITTER(ended, (spin_string, reason));
SPIN_EMITTER(delivered);

void streams_notice(spin_self *self) {
    struct epoll_event events[64];
    int count = epoll_wait(self->leaving, events, sizeof events / sizeof *events, 0);
    pthread_mutex_lock(&self->turn);
    for (int i = 0; i < count; i++) {
        struct exchange *left = exchanges_numbered_stream(self, events[i].data.u64);
        if (left)
            stream_cut(left->stream, "closed");
    }
    pthread_mutex_unlock(&self->turn);
}

void streams_cut(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    for (size_t i = 0; i < exchange_buckets; i++)
        for (struct exchange *next = self->buckets[i]; next; next = next->next_in_bucket)
            if (next->stream && !next->stream->is_finished)
                stream_cut(next->stream, "closed");
    pthread_mutex_unlock(&self->turn);
}

// Ends a call. While the mailbox is full, the host calls it again when there is room.
static void tell(void *context) {
    struct ending *ending = context;
    spin_status status = SPIN_OK;
    // The host counts an emission of a cancelled call as a drop.
    if (spin_cancelled(ending->call))
        ending->message = MESSAGE_NOTHING;
    if (ending->message == MESSAGE_ENDED)
        status = spin_wait_ended(ending->call, (spin_string){ending->reason, strlen(ending->reason)}, 0);
    else if (ending->message == MESSAGE_DELIVERED)
        status = spin_wait_delivered(ending->call, 0);
    if (status == SPIN_FULL && spin_on_room(ending->call, tell, ending) == SPIN_OK)
        return;
    // Otherwise the function for the cancellation lets go of the stream.
    if (spin_finish(ending->call) == SPIN_OK && ending->stream)
        stream_free(ending->stream);
    free(ending);
}

void streams_tell(spin_self *self) {
    pthread_mutex_lock(&self->turn);
    struct ending *first = self->endings;
    self->endings = NULL;
    self->last_ending = &self->endings;
    pthread_mutex_unlock(&self->turn);
    for (struct ending *next; first; first = next) {
        next = first->next;
        tell(first);
    }
}
