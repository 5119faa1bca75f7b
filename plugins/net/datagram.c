#include "datagram.h"
#include "emissions.h"
#include "instance.h"
#include "place.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How many datagrams it receives at once, so that others have their turn, and how many bytes one has at most. */
enum { most_received = 64, largest = 65535 };

struct datagram {
    char sender[address_size];
    size_t size; /* also of what was cut */
    uint8_t data[];
};

static spin_status emit(spin_self *self, struct endpoint *endpoint, const char *sender, const uint8_t *data,
                        size_t size) {
    char reason[64];
    spin_call *call = endpoint->job->base.call;
    if (size <= (size_t)self->config->longest)
        return spin_wait_datagram(call, text_of(sender), (spin_bytes){data, size}, 0);
    snprintf(reason, sizeof reason, "it is longer than %lld bytes (setting `longest`)",
             (long long)self->config->longest);
    return spin_wait_damaged(call, text_of(sender), (int64_t)size, text_of(reason), 0);
}

// Keeps a datagram until there is room. Without memory it is lost, as a datagram may be.
static void keep(spin_self *self, struct endpoint *endpoint, const char *sender, const uint8_t *data,
                 size_t size) {
    size_t kept = size <= (size_t)self->config->longest ? size : 0;
    struct datagram *datagram = malloc(sizeof *datagram + kept);
    if (!datagram)
        return;
    snprintf(datagram->sender, sizeof datagram->sender, "%s", sender);
    datagram->size = size;
    memcpy(datagram->data, data, kept);
    endpoint->datagram = datagram;
}

// Receives one and emits it; 0 if it cannot, or must not do more.
static int receive_one(spin_self *self, struct endpoint *endpoint) {
    char sender[address_size];
    struct place place = {.size = sizeof place.storage};
    uint8_t *memory = instance_memory(self, largest);
    ssize_t size =
        recvfrom(endpoint->source.socket, memory, memory ? largest : 0, MSG_TRUNC, &place.any, &place.size);
    if (size < 0 || !memory) // Without memory it is lost, as it would come again and again.
        return 0;
    place_write(ADDRESS_UDP, &place, sender);
    if (endpoint_continues(endpoint, emit(self, endpoint, sender, memory, (size_t)size)))
        return 1;
    keep(self, endpoint, sender, memory, (size_t)size);
    return 0;
}

static void watch(spin_self *self, struct endpoint *endpoint) {
    if (!source_watch(self, &endpoint->source, endpoint_can_emit(endpoint) ? EPOLLIN : 0))
        endpoint_fail(self, endpoint, "the system cannot watch more sockets");
}

void datagram_receive(spin_self *self, struct endpoint *endpoint) {
    for (int i = 0; i < most_received && endpoint_can_emit(endpoint) && receive_one(self, endpoint); i++) {
    }
    watch(self, endpoint);
}

void datagram_resume(spin_self *self, struct endpoint *endpoint) {
    struct datagram *datagram = endpoint->datagram;
    if (datagram && endpoint_can_emit(endpoint) &&
        endpoint_continues(endpoint,
                           emit(self, endpoint, datagram->sender, datagram->data, datagram->size))) {
        endpoint->datagram = NULL;
        free(datagram);
    }
    if (endpoint->source.socket >= 0)
        watch(self, endpoint);
}

void datagram_send(spin_self *self, struct job *job) {
    struct endpoint *endpoint = NULL;
    struct place place;
    char reason[most_reason];
    place_of(&job->address, &place);
    if (job->name[0] && !(endpoint = endpoint_find(self, JOB_RECEIVE, job->name))) {
        engine_call_fail(&job->base, NET_NOT_CONNECTED, "no call of `receive` has this address");
        return;
    }
    int from = endpoint ? endpoint->source.socket : socket(place.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ssize_t sent = from < 0 ? -1
                            : sendto(from, job->data + job->begin, job->size, MSG_DONTWAIT | MSG_NOSIGNAL,
                                     &place.any, place.size);
    int error = sent >= 0 ? 0 : endpoint && from < 0 ? ENOTCONN : errno;
    if (from >= 0 && !endpoint)
        close(from);
    if (!error) {
        engine_call_finish(&job->base);
        return;
    }
    const char *text = endpoint && from < 0 ? endpoint->reason : strerrordesc_np(error);
    snprintf(reason, sizeof reason, "cannot send: %.200s", text ? text : "unknown error");
    engine_call_fail(&job->base, error == EMSGSIZE ? SPIN_BAD_VALUE : SPIN_FAILED, reason);
}
