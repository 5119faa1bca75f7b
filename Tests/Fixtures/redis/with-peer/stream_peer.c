#include "stream_peer.h"
#include "peer.h"
#include <poll.h>

int greet_reader(int listener) {
    int peer = peer_greet(listener);
    peer_hear(peer, PENDING("0-0"));
    peer_say(peer, ENTRIES("0", ""));
    return peer;
}

int peer_is_idle(int peer) {
    struct pollfd place = {peer, POLLIN, 0};
    return poll(&place, 1, 0) == 0;
}
