/* A peer that has a stream `s` with the group `group` and the consumer `me`. */
#ifndef REDIS_TEST_STREAM_PEER_H
#define REDIS_TEST_STREAM_PEER_H

/* What the client asks. */
#define PENDING(id) "XREADGROUP GROUP group me COUNT 100 STREAMS s " id
#define NEW(count) "XREADGROUP GROUP group me COUNT " count " BLOCK 10000 STREAMS s >"

/* What the peer answers; an id has three characters. */
#define ENTRY(id) "*2\r\n$3\r\n" id "\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n"
#define ENTRIES(count, ...) "*1\r\n*2\r\n$1\r\ns\r\n*" count "\r\n" STREAM_PEER_JOIN(__VA_ARGS__, "", "", )
#define STREAM_PEER_JOIN(one, two, three, ...) one two three

/* Takes a client that reads, and has nothing pending for it. */
int greet_reader(int listener);

/* Whether the client has asked nothing more. */
int peer_is_idle(int peer);

#endif
