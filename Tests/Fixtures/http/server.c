#include "server.h"
#include "socket.h"
#include "../plugin-host/host.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char server_socket[] = "";
static const struct answer *all;
static int listener, asked, open_connections;
static pthread_t acceptor;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void count(int *counter, int change) {
    pthread_mutex_lock(&turn);
    *counter += change;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

static const struct answer *choose(const char *request) {
    const char *path = strchr(request, ' ') + 1;
    size_t size = strcspn(path, " ");
    for (const struct answer *answer = all; answer->path; answer++)
        if (strlen(answer->path) == size && memcmp(path, answer->path, size) == 0 &&
            (!answer->needs || strstr(request, answer->needs)))
            return answer;
    return NULL;
}

static void *serve(void *context) {
    int connection = (int)(intptr_t)context;
    char request[4096];
    size_t size = 0;
    request[0] = 0;
    while (!strstr(request, "\r\n\r\n")) {
        ssize_t more = recv(connection, request + size, sizeof request - 1 - size, 0);
        if (more <= 0)
            break;
        request[size += (size_t)more] = 0;
    }
    if (strstr(request, "\r\n\r\n")) {
        const struct answer *answer = choose(request);
        count(&asked, 1);
        if (answer && answer->bytes == SERVER_SOCKET)
            socket_serve(connection, request);
        else if (answer && answer->bytes)
            send(connection, answer->bytes, strlen(answer->bytes), MSG_NOSIGNAL);
        else
            while (recv(connection, request, sizeof request, 0) > 0)
                ;
    }
    close(connection);
    count(&open_connections, -1);
    return NULL;
}

static void *accept_all(void *context) {
    (void)context;
    for (int connection; (connection = accept(listener, NULL, NULL)) >= 0;) {
        pthread_t thread;
        count(&open_connections, 1);
        check("a thread begins", pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) == 0);
        pthread_detach(thread);
    }
    return NULL;
}

int server_start(const struct answer *answers) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    all = answers;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    check("the server listens", bind(listener, (struct sockaddr *)&address, size) == 0 &&
                                    listen(listener, 512) == 0 &&
                                    getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    check("the server begins", pthread_create(&acceptor, NULL, accept_all, NULL) == 0);
    return ntohs(address.sin_port);
}

void server_await(int number) {
    pthread_mutex_lock(&turn);
    while (asked < number)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

void server_stop(void) {
    shutdown(listener, SHUT_RDWR);
    pthread_join(acceptor, NULL);
    pthread_mutex_lock(&turn);
    while (open_connections > 0)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
    close(listener);
}
