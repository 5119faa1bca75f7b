/* The world of an instance: peers of the test, and calls of its effects. */
#ifndef NET_TEST_WORLD_H
#define NET_TEST_WORLD_H

#include "net.h"
#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/log.h"
#include "../plugin-host/polls.h"
#include "../plugin-host/saved.h"
#include <stddef.h>

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})
#define SECOND INT64_C(1000000000)

/* The settings of the next instance. */
extern struct spin_config config;
void reset_config(void);

/* Cancels a call, and ends the instance. */
void end(spin_self *self, spin_call *call);

/* Calls an effect. Each call is a run of its own, or the one of the key, or is given. */
spin_call *call_connect(spin_self *self, const char *address, const char *framing, const char *key);
spin_call *call_listen(spin_self *self, const char *address, const char *framing, const char *key);
spin_call *call_receive(spin_self *self, const char *address, const char *key);
void connect_with(spin_self *self, spin_call *call, const char *address, const char *framing);
void listen_with(spin_self *self, spin_call *call, const char *address, const char *framing);
void receive_with(spin_self *self, spin_call *call, const char *address);
spin_call *call_send(spin_self *self, const char *connection, const void *data, size_t size, const char *key);
spin_call *call_send_to(spin_self *self, const char *from, const char *to, const void *data, size_t size);
spin_call *call_close(spin_self *self, const char *connection);
spin_call *close_as(spin_self *self, const char *connection, const char *key);

/* Waits until the instance has seen all calls and cancellations before, and done what they need. */
void settle(spin_self *self);

/* Whether nothing that the instance watches has an event. */
int is_quiet(const spin_self *self);

/* Lets this time pass for the instance. */
void pass(spin_self *self, spin_duration time);

/* The connections that the transcripts name by numbers from 0. The address that was heard last, the sender, and the
 * peer that has opened a connection. */
const char *connection(int number);
void forget_connections(void);
const char *heard_address(void);
const char *heard_sender(void);
const char *heard_peer(void);

/* From now on frames are numbers from 0, which are checked. After so many of them the transcript is `all`. */
void count_frames(int64_t count);

/* Lets an instance listen with this framing; a connection to where it listens, as peers make it. */
spin_call *serve(spin_self *self, const char *framing);
/* Lets an instance listen to lines in the run `listen`, and opens a connection as its first peer. */
spin_call *serve_one(spin_self *self, int *peer);
/* The same for a new instance and a local socket. Its system knows at once what the peer has taken. */
spin_self *serve_local(spin_call **call, int *peer);
int dial(void);
int dial_to(const char *address);

/* A socket that listens at an address of the system's choice, which it writes. */
int offer(char address[64]);

/* The address of the local socket `socket` in the folder of the test, and a socket that listens at such a path. */
void local_address(char address[160]);
int offer_local(const char *path);
int answer(int listener);

/* Sends and expects bytes, and the end. */
void say(int peer, const void *data, size_t size);
void hear(int peer, const void *expected, size_t size);
void hear_end(int peer);

/* Closes so that the other side gets a reset. */
void reset(int peer);

/* The parts of the test. */
void test_addresses(void);
void test_listening(void);
void test_rooms(void);
void test_sockets(void);
void test_files(void);
void test_frames(void);
void test_sending(void);
void test_stalls(void);
void test_idle_connections(void);
void test_connecting(void);
void test_halves(void);
void test_datagrams(void);
void test_swaps(void);
void test_takeovers(void);
void test_closing_swaps(void);
void test_parts(void);
void test_memory(void);

#endif
