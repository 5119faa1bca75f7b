#define _GNU_SOURCE

#include "linux_calls.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// Room for one descriptor beside a message.
union control {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(sizeof(int))];
};

// Sends a message, and a descriptor with it unless that is negative. Returns 0, or an `errno`.
static int send_with(int socket, struct msghdr *message, int descriptor) {
    union control control = {0};
    if (descriptor >= 0) {
        message->msg_control = &control;
        message->msg_controllen = sizeof control;
        struct cmsghdr *passed = CMSG_FIRSTHDR(message);
        passed->cmsg_level = SOL_SOCKET;
        passed->cmsg_type = SCM_RIGHTS;
        passed->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(passed), &descriptor, sizeof descriptor);
    }
    ssize_t sent = -1;
    do {
        sent = sendmsg(socket, message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

int linux_send_datagram(const char *name, const void *bytes, size_t size, int descriptor) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(name);
    if (length == 0 || length >= sizeof address.sun_path) {
        return ENAMETOOLONG;
    }
    memcpy(address.sun_path, name, length);
    if (name[0] == '@') {
        address.sun_path[0] = 0;
    }
    const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0) {
        return errno;
    }
    const struct timeval patience = {.tv_sec = 5};
    setsockopt(sender, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length),
        .msg_iov = &part,
        .msg_iovlen = 1,
    };
    const int result = send_with(sender, &message, descriptor);
    close(sender);
    return result;
}

int linux_send_descriptor(int socket, int descriptor) {
    // A stream passes a descriptor with a byte.
    char byte = 0;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return send_with(socket, &message, descriptor);
}

int linux_receive_descriptor(int socket) {
    char byte = 0;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    union control control = {0};
    struct msghdr message;
    ssize_t received = -1;
    do {
        message = (struct msghdr){
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0) {
        return -1;
    }
    const struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
    if (received == 0 || passed == NULL) {
        errno = received == 0 ? EPIPE : EBADMSG;
        return -1;
    }
    if (passed->cmsg_type != SCM_RIGHTS || passed->cmsg_len != CMSG_LEN(sizeof(int))) {
        errno = EBADMSG;
        return -1;
    }
    int descriptor = -1;
    memcpy(&descriptor, CMSG_DATA(passed), sizeof descriptor);
    return descriptor;
}
