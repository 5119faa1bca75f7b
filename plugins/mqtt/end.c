// The end of a connection.
#include "client.h"
#include <mosquitto.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* How long each part of the end may take, in nanoseconds. */
enum { longest_part = 1000000000 };

// Waits for bytes of the broker; 0 when the part must end.
static int wait_for_bytes(int socket, int64_t due) {
    int64_t left = (due - monotonic_now()) / 1000000;
    struct pollfd place = {socket, POLLIN, 0};
    return left > 0 && poll(&place, 1, (int)left) > 0;
}

// Libmosquitto may have read several messages at once, and sends their acknowledgements together. If the loop has taken
// the first of them only, the broker must not send these again.
static void acknowledge(spin_self *self) {
    for (const struct message *next = self->hold.taken; next; next = next->next) {
        const uint8_t packet[] = {0x40, 2, (uint8_t)(next->mid >> 8), (uint8_t)next->mid};
        if (!tls_send(self->client, packet, sizeof packet))
            return;
    }
}

// Libmosquitto forgets the messages of QoS 2 that the broker has sent and not released yet, but the broker would not
// send them again. The broker releases them before it answers this packet. What the client receives meanwhile has no
// acknowledgement, so the broker sends it again in the next connection.
static void receive_rest(spin_self *self) {
    static const char filter[] = "spinhost/end";
    uint8_t packet[2 + 2 + 2 + sizeof filter - 1] = {0xa2, sizeof packet - 2, fence_mid >> 8, fence_mid & 255,
                                                     0,    sizeof filter - 1};
    memcpy(packet + 6, filter, sizeof filter - 1);
    int64_t due = monotonic_now() + longest_part;
    self->link.is_fenced = !tls_send(self->client, packet, sizeof packet);
    while (!self->link.is_fenced && wait_for_bytes(mosquitto_socket(self->client), due) &&
           mosquitto_loop_read(self->client, 1) == MOSQ_ERR_SUCCESS)
        ;
}

// So the broker sees no second client with the same id, and does not send the will.
void link_part(spin_self *self) {
    static const uint8_t disconnect[] = {0xe0, 0};
    char bytes[4096];
    int socket = mosquitto_socket(self->client);
    int64_t due = monotonic_now() + longest_part;
    if (!tls_send(self->client, disconnect, sizeof disconnect))
        return;
    shutdown(socket, SHUT_WR);
    while (wait_for_bytes(socket, due) && recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
}

void link_end(spin_self *self) {
    struct link *link = &self->link;
    lookup_end(link->lookup);
    // In the middle of a packet no other one can be sent. The broker then sees that the client is lost.
    int can_send = link->state == LINK_IS_UP && link->is_whole;
    if (can_send && self->config->keeps_session) {
        acknowledge(self);
        receive_rest(self);
    }
    if (can_send && mosquitto_socket(self->client) >= 0)
        link_part(self);
    *link = (struct link){0};
}
