#include "consumer.h"
#include "scene.h"
#include <stdio.h>
#include <string.h>

char ticket[PEER_TICKET], inbox[160];
static int sequence;

void take_subscription(void) {
    sequence = 0;
    char line[128];
    snprintf(line, sizeof line, "%s", peer_expect(peer, "SUB _INBOX."));
    snprintf(ticket, sizeof ticket, "%s", strchr(line, ' ') + 1);
}

const char is_there[] = "{\"type\":\"consumer_info\",\"config\":{\"ack_policy\":\"explicit\"}}";

void take_question(void) {
    snprintf(inbox, sizeof inbox, "%s", peer_expect(peer, "PUB $JS.API.CONSUMER.INFO.s.c "));
    *strchr(inbox, ' ') = 0;
    peer_expect(peer, "");
}

void take_info(const char *answer) {
    take_question();
    peer_message(peer, inbox, ticket, "", answer);
}

const char *take_pull(void) {
    snprintf(inbox, sizeof inbox, "%s", peer_expect(peer, "PUB $JS.API.CONSUMER.MSG.NEXT.s.c "));
    *strchr(inbox, ' ') = 0;
    return peer_line(peer);
}

const char *take_first_pull(void) {
    take_info(is_there);
    return take_pull();
}

void give(const char *data) {
    char handle[64];
    ++sequence;
    snprintf(handle, sizeof handle, "$JS.ACK.s.c.1.%d.%d.1700000000000000000.0", sequence, sequence);
    peer_message(peer, "orders.new", ticket, handle, data);
}

void status(const char *text) {
    char frame[512];
    size_t size = strlen("NATS/1.0 \r\n\r\n") + strlen(text);
    snprintf(frame, sizeof frame, "HMSG %s %s %zu %zu\r\nNATS/1.0 %s\r\n\r\n\r\n", inbox, ticket, size, size,
             text);
    peer_send(peer, frame);
}

void await_read(spin_self *self) {
    peer_send(peer, "PING\r\n");
    peer_expect(peer, "PONG");
    settle(self);
}

void pass(spin_self *self, int seconds) {
    for (int i = 0; i < seconds; i++) {
        host_advance(SECOND);
        settle(self);
    }
}
