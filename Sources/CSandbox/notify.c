#define _GNU_SOURCE

#include "sandbox_calls.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Parts of seccomp(2) that older headers lack.
enum { KNOWS_CONTINUE = 1 << 4, WAIT_KILLABLE = 1 << 5, WAKE_ON_SAME_PROCESSOR = 1 };
#define SET_LISTENER_FLAGS SECCOMP_IOW(4, uint64_t)

static long seccomp(unsigned operation, unsigned flags, void *argument) {
    return syscall(SYS_seccomp, operation, flags, argument);
}

bool sandbox_has_filters(void) {
    uint32_t action = SECCOMP_RET_TRAP;
    return seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool sandbox_has_notifications(void) {
    uint32_t action = SECCOMP_RET_USER_NOTIF;
    if (seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) {
        return false;
    }
    // Calls could not be let go on before Linux 5.5. This flag came soon after; no filter is installed here.
    return seccomp(SECCOMP_SET_MODE_FILTER, KNOWS_CONTINUE, NULL) != 0 && errno == EFAULT;
}

int sandbox_filter_calls(const struct sandbox_rules *rules, int *listener) {
    struct sock_filter instructions[SANDBOX_FILTER_CAPACITY];
    const size_t count =
        sandbox_write_filter(rules, sandbox_machine(), instructions, SANDBOX_FILTER_CAPACITY);
    if (count == 0) {
        return ENOSYS;
    }
    struct sock_fprog program = {.len = (unsigned short)count, .filter = instructions};
    *listener = -1;
    if (!rules->asks_for_accesses && !rules->asks_for_children) {
        return seccomp(SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
    }
    // A signal for a thread whose call waits must not begin the call again and again: not before Linux 5.19.
    long result =
        seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE, &program);
    if (result < 0 && errno == EINVAL) {
        result = seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    }
    if (result < 0) {
        return errno;
    }
    *listener = (int)result;
    return 0;
}

void sandbox_prepare_listener(int listener) {
    // Without it a call takes longer. Not before Linux 6.6.
    ioctl(listener, SET_LISTENER_FLAGS, (uint64_t)WAKE_ON_SAME_PROCESSOR);
}

int sandbox_receive(int listener, int wake, struct sandbox_notification *notification) {
    struct pollfd waited[2] = {{.fd = listener, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    do {
        if (poll(waited, 2, -1) < 0 && errno != EINTR) {
            return errno;
        }
        if (waited[1].revents != 0) {
            return ECANCELED;
        }
    } while (waited[0].revents == 0);
    if ((waited[0].revents & POLLIN) == 0) {
        return EPIPE;
    }
    // Newer kernels may write more than this header has.
    union {
        struct seccomp_notif notification;
        char room[512];
    } received;
    memset(&received, 0, sizeof received);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &received) != 0) {
        return errno == EINTR ? ENOENT : errno;
    }
    *notification = (struct sandbox_notification){
        .id = received.notification.id,
        .thread = (pid_t)received.notification.pid,
        .number = received.notification.data.nr,
        .machine = received.notification.data.arch,
    };
    memcpy(notification->arguments, received.notification.data.args, sizeof notification->arguments);
    return 0;
}

bool sandbox_is_waiting(int listener, uint64_t id) {
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

int sandbox_answer(int listener, uint64_t id, int error) {
    union {
        struct seccomp_notif_resp answer;
        char room[512];
    } sent;
    memset(&sent, 0, sizeof sent);
    sent.answer.id = id;
    sent.answer.error = -error;
    sent.answer.flags = error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &sent) == 0 ? 0 : errno;
}

int sandbox_socket_type(pid_t process, int descriptor) {
    const int place = (int)syscall(SYS_pidfd_open, process, 0);
    if (place < 0) {
        return -1;
    }
    const int copy = (int)syscall(SYS_pidfd_getfd, place, descriptor, 0);
    close(place);
    if (copy < 0) {
        return -1;
    }
    int type = -1;
    socklen_t size = sizeof type;
    const int answer = getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &size);
    close(copy);
    return answer == 0 ? type : -1;
}

ssize_t sandbox_read_memory(pid_t process, uint64_t address, void *bytes, size_t size) {
    const struct iovec here = {.iov_base = bytes, .iov_len = size};
    const struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    return process_vm_readv(process, &here, 1, &there, 1, 0);
}
