// The end of the last connection.
#include "link.h"
#include "../instance.h"
#include <poll.h>

/* How long it may take, in nanoseconds. */
static const int64_t longest_end = 1000000000;

void link_end(spin_self *self) {
    struct link *link = &self->link;
    int64_t due = spin_monotonic() + longest_end;
    lookup_end(link->lookup);
    while (link->state == LINK_IS_UP && pieces_size(&link->out) > 0) {
        struct pollfd place = {link->stream.socket, POLLOUT, 0};
        int64_t left = (due - spin_monotonic()) / 1000000;
        if (left <= 0 || poll(&place, 1, (int)left) <= 0)
            break;
        traffic_write(self);
    }
    link_close(self);
    link->state = LINK_RESTS;
    link->lookup = NULL;
}
