// For SOCK_CLOEXEC and F_DUPFD_CLOEXEC. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "parcel.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the notes of all lines. */
static const int capacity = 1 << 20;

bool parcel_open(struct parcel *parcel) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    // A smaller one has room for fewer lines.
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &capacity, sizeof capacity);
    *parcel = (struct parcel){.in = ends[0], .out = ends[1]};
    return true;
}

static bool is_end(int descriptor) {
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX &&
           type == SOCK_SEQPACKET;
}

bool parcel_copy(struct parcel *parcel, int in, int out) {
    if (!is_end(in) || !is_end(out))
        return false;
    *parcel = (struct parcel){.in = fcntl(in, F_DUPFD_CLOEXEC, 0), .out = fcntl(out, F_DUPFD_CLOEXEC, 0)};
    if (parcel->in >= 0 && parcel->out >= 0)
        return true;
    parcel_close(parcel);
    return false;
}

/* Room for one descriptor, aligned as the kernel wants it. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool parcel_put(struct parcel *parcel, const void *note, size_t size, int descriptor) {
    union control control = {0};
    struct iovec part = {(void *)note, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    return sendmsg(parcel->out, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

bool parcel_take(struct parcel *parcel, void *note, size_t size, int *descriptor) {
    for (;;) {
        union control control = {0};
        struct iovec part = {note, size};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        ssize_t found = recvmsg(parcel->in, &message, MSG_CMSG_CLOEXEC | MSG_TRUNC);
        if (found < 0 && errno == EINTR)
            continue;
        if (found <= 0)
            return false;
        *descriptor = -1;
        const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
        if ((size_t)found == size) {
            parcel->is_used = true;
            return true;
        }
        if (*descriptor >= 0)
            close(*descriptor);
    }
}

void parcel_empty(struct parcel *parcel) {
    char nothing;
    int descriptor;
    // Each note has another size, so all are closed.
    parcel_take(parcel, &nothing, sizeof nothing, &descriptor);
}

void parcel_close(struct parcel *parcel) {
    if (parcel->in >= 0)
        close(parcel->in);
    if (parcel->out >= 0)
        close(parcel->out);
    parcel->in = parcel->out = -1;
}
