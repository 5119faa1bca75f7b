#include "attempt.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static int tcp(void) { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static struct sockaddr_in loopback(const char *port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

void open_sockets(const char *unused) {
    (void)unused;
    TRY(socket(AF_INET, SOCK_STREAM, 0));
    TRY(socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP));
    TRY(socket(AF_INET, SOCK_STREAM, 262)); // MPTCP
    TRY(socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
    TRY(socket(AF_INET, SOCK_DGRAM, 0));
    TRY(socket(AF_INET6, SOCK_DGRAM, 0));
    TRY(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    TRY(socket(AF_UNIX, SOCK_STREAM, 0));
    TRY(socket(AF_UNIX, SOCK_DGRAM, 0));
    TRY(socket(AF_NETLINK, SOCK_RAW, 0));
    TRY(socket(AF_PACKET, SOCK_RAW, 0));
    TRY(socket(AF_VSOCK, SOCK_STREAM, 0));
    TRY(socket(AF_ALG, SOCK_SEQPACKET, 0));
}

void connect_tcp(const char *port) {
    const struct sockaddr_in address = loopback(port);
    const int opened = tcp();
    tell("socket", opened);
    tell("connect", connect(opened, (const struct sockaddr *)&address, sizeof address));
}

void connect_fast(const char *port) {
    const struct sockaddr_in address = loopback(port);
    tell("sendto", sendto(tcp(), "x", 1, MSG_FASTOPEN, (const struct sockaddr *)&address, sizeof address));
    struct iovec part = {.iov_base = "x", .iov_len = 1};
    struct msghdr message = {
        .msg_name = (void *)&address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
    tell("sendmsg", sendmsg(tcp(), &message, MSG_FASTOPEN));
    struct mmsghdr messages = {.msg_hdr = message};
    tell("sendmmsg", sendmmsg(tcp(), &messages, 1, MSG_FASTOPEN));
    const int later = tcp(), on = 1;
    tell("setsockopt", setsockopt(later, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
    tell("connect", connect(later, (const struct sockaddr *)&address, sizeof address));
}

void listen_tcp(const char *port) {
    const struct sockaddr_in address = loopback(port);
    const int opened = tcp();
    tell("bind", bind(opened, (const struct sockaddr *)&address, sizeof address));
    tell("listen", listen(opened, 1));
}

// The kernel chooses a port for a socket without an address.
void listen_without_address(const char *unused) {
    (void)unused;
    tell("listen", listen(tcp(), 1));
}

void listen_local(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, name);
    tell("bind", bind(socket(AF_UNIX, SOCK_STREAM, 0), (const struct sockaddr *)&address, sizeof address));
}

// Listens at a port that the kernel chooses, and takes a connection of its own.
void serve_tcp(const char *port) {
    struct sockaddr_in address = loopback(port);
    const int opened = tcp(), client = tcp();
    tell("bind", bind(opened, (const struct sockaddr *)&address, sizeof address));
    tell("listen", listen(opened, 1));
    socklen_t size = sizeof address;
    tell("getsockname", getsockname(opened, (struct sockaddr *)&address, &size));
    tell("connect", connect(client, (const struct sockaddr *)&address, sizeof address));
}

// A name that begins with `@` is one without a file.
void connect_local(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, name);
    if (name[0] == '@') {
        address.sun_path[0] = 0;
    }
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    const int opened = socket(AF_UNIX, SOCK_STREAM, 0);
    tell("socket", opened);
    tell("connect", connect(opened, (const struct sockaddr *)&address, size));
}

// Of a name that a service listens to for datagrams.
void send_by_pair(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, name);
    int ends[2];
    TRY(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    TRY(socketpair(AF_INET, SOCK_STREAM, 0, ends));
    TRY(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
    TRY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    TRY(send(ends[0], "x", 1, 0));
    tell("sendto", sendto(ends[0], "x", 1, 0, (const struct sockaddr *)&address, sizeof address));
    tell("connect", connect(ends[0], (const struct sockaddr *)&address, sizeof address));
    struct sock_filter accept_all = {0x06, 0, 0, 0xffff};
    struct sock_fprog program = {1, &accept_all};
    tell("attach", setsockopt(ends[0], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
}

// Descriptor 9 is a connected socket, over which the host has sent a descriptor with each byte of `ab`.
void receive_descriptor(const char *unused) {
    (void)unused;
    char byte, room[CMSG_SPACE(sizeof(int))];
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    tell("recvmsg", recvmsg(9, &message, 0));
    const struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
    int folder = -1;
    memcpy(&folder, CMSG_DATA(passed), sizeof folder);
    // It was opened for its place alone, outside.
    TRY(openat(folder, "secret", O_RDONLY));
    TRY(openat(folder, "new", O_WRONLY | O_CREAT, 0600));
}
