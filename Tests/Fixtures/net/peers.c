#include "world.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int dial_to(const char *where) {
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const char *port = strrchr(where, ':') + 1;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    four.sin_port = six.sin6_port = htons((uint16_t)atoi(port));
    const struct sockaddr *place = (const struct sockaddr *)&four;
    socklen_t size = sizeof four;
    if (strncmp(where, "unix:", 5) == 0) {
        strcpy(local.sun_path, where + 5);
        place = (const struct sockaddr *)&local;
        size = sizeof local;
    } else if (strchr(where, '[')) {
        place = (const struct sockaddr *)&six;
        size = sizeof six;
    }
    int peer = socket(place->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("the peer connects", peer >= 0 && connect(peer, place, size) == 0);
    return peer;
}

int dial(void) { return dial_to(heard_address()); }

int offer(char at[64]) {
    struct sockaddr_in place = {.sin_family = AF_INET};
    socklen_t size = sizeof place;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check("the test listens", listener >= 0 && bind(listener, (struct sockaddr *)&place, size) == 0 &&
                                  listen(listener, 16) == 0 &&
                                  getsockname(listener, (struct sockaddr *)&place, &size) == 0);
    snprintf(at, 64, "tcp:127.0.0.1:%hu", ntohs(place.sin_port));
    return listener;
}

void local_address(char address[160]) {
    char folder[128];
    check("there is a folder", getcwd(folder, sizeof folder) != NULL);
    snprintf(address, 160, "unix:%s/socket", folder);
}

int offer_local(const char *path) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strcpy(place.sun_path, path);
    check("the test listens", listener >= 0 && bind(listener, (struct sockaddr *)&place, sizeof place) == 0 &&
                                  listen(listener, 1) == 0);
    return listener;
}

int answer(int listener) {
    int peer = accept(listener, NULL, NULL);
    check("the plugin connects", peer >= 0);
    return peer;
}

void say(int peer, const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = send(peer, (const char *)data + done, size - done, MSG_NOSIGNAL);
        check("the peer sends", count > 0 || errno == EINTR);
        done += count > 0 ? (size_t)count : 0;
    }
}

void hear(int peer, const void *expected, size_t size) {
    for (size_t done = 0; done < size;) {
        char bytes[4096];
        size_t wanted = size - done < sizeof bytes ? size - done : sizeof bytes;
        ssize_t count = recv(peer, bytes, wanted, 0);
        check("the peer hears", count > 0);
        check("it hears what was sent", memcmp(bytes, (const char *)expected + done, (size_t)count) == 0);
        done += (size_t)count;
    }
}

void hear_end(int peer) {
    char byte;
    check("the peer hears the end", recv(peer, &byte, 1, 0) == 0);
    close(peer);
}

void reset(int peer) {
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(peer);
}
