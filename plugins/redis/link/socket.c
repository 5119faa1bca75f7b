#include "socket.h"
#include "../instance.h"
#include "../job.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How much it reads at once, and how many requests it sends at once. */
enum { piece = 1 << 16, most_pieces = 64 };

int socket_watch(struct link *link, uint32_t events) {
    if (link->is_hung || (link->is_watched && link->events == events))
        return 1;
    struct epoll_event event = {.events = events, .data.ptr = link};
    if (epoll_ctl(link->self->engine.events, link->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, link->socket,
                  &event))
        return 0;
    link->is_watched = 1;
    link->events = events;
    return 1;
}

static void forget(struct link *link) {
    if (link->is_watched)
        epoll_ctl(link->self->engine.events, EPOLL_CTL_DEL, link->socket, NULL);
    link->is_watched = 0;
}

void socket_hang(struct link *link) {
    forget(link);
    link->is_hung = 1;
}

void socket_close(struct link *link) {
    forget(link);
    if (link->socket >= 0)
        close(link->socket);
    link->socket = -1;
    link->is_hung = 0;
}

int socket_receive(struct link *link) {
    char bytes[piece];
    ssize_t count = recv(link->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (count > 0) {
        link->active = spin_monotonic();
        if (reply_feed(&link->reply, bytes, (size_t)count))
            return 1;
        link_lose(link, link->reply.fault);
        return 0;
    }
    const char *cause = count < 0 ? strerrordesc_np(errno) : "the server has closed the connection";
    link_lose(link, cause ? cause : "unknown error");
    return 0;
}

// Takes a request out of which nothing was sent.
static void drop(struct link *link, struct request **place) {
    struct request *request = *place;
    *place = request->next;
    if (link->last == &request->next)
        link->last = place;
    request_free(request);
}

static int may_send(const struct link *link, const struct request *request) {
    if (link->state == LINK_GREETS)
        return request->kind <= REQUEST_FIRST_PING;
    return link->state == LINK_IS_UP && (request->done > 0 || !link->farewell);
}

int socket_has_unsent(const struct link *link) { return *link->sends && may_send(link, *link->sends); }

// The parts of the next requests; how many there are. Those whose calls are over are not sent.
static size_t gather(struct link *link, struct iovec parts[most_pieces]) {
    size_t count = 0;
    struct request **place = link->sends;
    for (struct request *next; (next = *place) && count < most_pieces && may_send(link, next);) {
        if (next->done == 0 && next->job && engine_call_is_over(&next->job->base)) {
            drop(link, place);
            continue;
        }
        parts[count++] = (struct iovec){next->bytes + next->done, next->size - next->done};
        place = &next->next;
    }
    return count;
}

static void note_sent(struct link *link, size_t count) {
    while (count > 0) {
        struct request *request = *link->sends;
        size_t left = request->size - request->done, taken = count < left ? count : left;
        request->done += taken;
        count -= taken;
        if (request->done < request->size)
            return;
        link->sends = &request->next;
    }
}

void link_write(struct link *link) {
    struct iovec parts[most_pieces];
    for (;;) {
        if (link->socket < 0 || link->is_hung || link->state < LINK_GREETS)
            return;
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = gather(link, parts)};
        ssize_t count =
            message.msg_iovlen > 0 ? sendmsg(link->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
        if (count <= 0)
            break;             // A connection that is lost is found by reading.
        if (!link_asked(link)) // A server that owes an answer is silent, also if it takes more requests.
            link->active = spin_monotonic();
        note_sent(link, (size_t)count);
    }
    link_watch(link);
}

void link_flush(struct link *link) {
    if (link->socket >= 0 && !(link->events & EPOLLOUT) && socket_has_unsent(link))
        link_write(link);
}
