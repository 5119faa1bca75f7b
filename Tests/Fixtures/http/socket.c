#include "socket.h"
#include "../plugin-host/host.h"
#include <openssl/evp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int closed, is_released;

static void answer(int connection, const char *request) {
    static const char name[] = "Sec-WebSocket-Key: ", guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const char *key = strstr(request, name) + sizeof name - 1;
    char text[128], accept[64];
    unsigned char hash[20];
    size_t size = sizeof hash;
    int length = snprintf(text, sizeof text, "%.*s%s", (int)strcspn(key, "\r"), key, guid);
    check("there is a hash", EVP_Q_digest(NULL, "SHA1", NULL, text, (size_t)length, hash, &size));
    EVP_EncodeBlock((unsigned char *)accept, hash, sizeof hash);
    char head[256];
    length = snprintf(head, sizeof head,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n\r\n",
                      accept);
    send(connection, head, (size_t)length, MSG_NOSIGNAL);
}

static int read_all(int connection, void *target, size_t size) {
    return size == 0 || recv(connection, target, size, MSG_WAITALL) == (ssize_t)size;
}

static void write_frame(int connection, uint8_t first, const uint8_t *data, size_t size) {
    uint8_t head[10] = {first, size < 126 ? (uint8_t)size : size < 65536 ? 126 : 127};
    size_t bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    for (size_t i = 0; i < bytes; i++)
        head[2 + i] = (uint8_t)(size >> 8 * (bytes - 1 - i));
    send(connection, head, 2 + bytes, MSG_NOSIGNAL | MSG_MORE);
    send(connection, data, size, MSG_NOSIGNAL);
}

// Reads a frame into memory that the caller frees; NULL at the end.
static uint8_t *read_frame(int connection, uint8_t *first, size_t *size) {
    uint8_t head[2], length[8], mask[4];
    if (!read_all(connection, head, sizeof head))
        return NULL;
    *first = head[0];
    *size = head[1] & 127;
    size_t bytes = *size < 126 ? 0 : *size == 126 ? 2 : 8;
    if (bytes > 0 && !read_all(connection, length, bytes))
        return NULL;
    if (bytes > 0)
        *size = 0;
    for (size_t i = 0; i < bytes; i++)
        *size = *size << 8 | length[i];
    uint8_t *data = malloc(*size + 1);
    check("a client masks its frames", head[1] & 128);
    check("there is memory", data != NULL);
    if (!read_all(connection, mask, sizeof mask) || !read_all(connection, data, *size)) {
        free(data);
        return NULL;
    }
    for (size_t i = 0; i < *size; i++)
        data[i] ^= mask[i % 4];
    data[*size] = 0;
    return data;
}

static void stall(void) {
    pthread_mutex_lock(&turn);
    while (!is_released)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

static void note_closed(void) {
    pthread_mutex_lock(&turn);
    closed++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

// Answers a frame; 0 when the connection must end.
static int serve(int connection, uint8_t first, const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    if (first == 0x88) {
        if (size >= 2 && data[0] == 1000 >> 8 && data[1] == (1000 & 255))
            note_closed();
        write_frame(connection, first, data, size);
        return 0;
    }
    if (strcmp(text, "stall") == 0)
        stall();
    if (strcmp(text, "drop") == 0 || strcmp(text, "stall") == 0)
        return 0;
    if (strcmp(text, "bye") == 0)
        write_frame(connection, 0x88,
                    (const uint8_t *)"\x0f\xa0"
                                     "bye",
                    5);
    else if (strcmp(text, "last") == 0)
        send(connection,
             "\x81\x04last\x88\x05\x0f\xa0"
             "bye",
             13, MSG_NOSIGNAL);
    else
        write_frame(connection, first, data, size);
    return 1;
}

void socket_serve(int connection, const char *request) {
    answer(connection, request);
    int continues = 1;
    while (continues) {
        uint8_t first, *data;
        size_t size;
        continues = (data = read_frame(connection, &first, &size)) && serve(connection, first, data, size);
        free(data);
    }
}

void socket_await_closed(int count) {
    pthread_mutex_lock(&turn);
    while (closed < count)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

void socket_release(void) {
    pthread_mutex_lock(&turn);
    is_released = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}
