#include "upgrade.h"
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static size_t read_bytes(char *target, size_t unit, size_t units, void *context) {
    struct upgrade *upgrade = context;
    struct request *request = upgrade->request;
    if (upgrade->is_ended)
        return 0;
    size_t size = request->has_begun ? request->kind->give(request, target, unit * units) : 0;
    return size > 0 ? size : CURL_READFUNC_PAUSE;
}

static int keep_socket(void *context, curl_socket_t descriptor, curlsocktype purpose) {
    struct upgrade *upgrade = context;
    (void)purpose;
    upgrade->made[upgrade->count++ % MOST_SOCKETS] = descriptor;
    return CURL_SOCKOPT_OK;
}

// libcurl does not report that the server has ended the connection before the upload has ended, too.
static int look_for_end(void *context, curl_off_t total, curl_off_t now, curl_off_t upload_total,
                        curl_off_t upload) {
    struct upgrade *upgrade = context;
    (void)total, (void)now, (void)upload_total, (void)upload;
    char byte;
    if (upgrade->socket == CURL_SOCKET_BAD || upgrade->is_ended || upgrade->request->waits_for_room ||
        recv(upgrade->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
        return 0;
    upgrade->is_ended = 1;
    upgrade_send(upgrade);
    return 0;
}

int upgrade_prepare(struct upgrade *upgrade, struct request *request) {
    CURL *easy = request->easy;
    upgrade->request = request;
    upgrade_end(upgrade);
    return curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "GET") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_bytes) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_READDATA, upgrade) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, keep_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, upgrade) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, look_for_end) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_XFERINFODATA, upgrade) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L) == CURLE_OK;
}

// The port of this side; 0 if it is no socket of the internet.
static int local_port(curl_socket_t descriptor) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t size = sizeof address;
    if (getsockname(descriptor, &address.any, &size) != 0)
        return 0;
    return address.any.sa_family == AF_INET    ? ntohs(address.v4.sin_port)
           : address.any.sa_family == AF_INET6 ? ntohs(address.v6.sin6_port)
                                               : 0;
}

void upgrade_begin(struct upgrade *upgrade) {
    // libcurl has closed the sockets that it did not need.
    long port = 0;
    curl_easy_getinfo(upgrade->request->easy, CURLINFO_LOCAL_PORT, &port);
    size_t count = upgrade->count < MOST_SOCKETS ? upgrade->count : MOST_SOCKETS;
    for (size_t i = 0; i < count && port > 0; i++)
        if (local_port(upgrade->made[i]) == port)
            upgrade->socket = upgrade->made[i];
}

void upgrade_end(struct upgrade *upgrade) {
    upgrade->socket = CURL_SOCKET_BAD;
    upgrade->count = 0;
    upgrade->is_ended = 0;
}

int upgrade_held(const struct upgrade *upgrade) {
    int held = 0;
    return ioctl(upgrade->socket, SIOCOUTQ, &held) == 0 ? held : 0;
}

void upgrade_send(struct upgrade *upgrade) {
    struct request *request = upgrade->request;
    if (request->is_added)
        curl_easy_pause(request->easy, request->waits_for_room ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}
