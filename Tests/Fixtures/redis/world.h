/* The world of an instance: servers, and calls of its effects. */
#ifndef REDIS_TEST_WORLD_H
#define REDIS_TEST_WORLD_H

#include "redis.h"
#include "../plugin-host/counts.h"
#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/polls.h"
#include "../plugin-host/saved.h"
#include <stddef.h>

#define SECOND INT64_C(1000000000)
#define FOREVER (INT64_MAX / 4)

/* The settings of the next instance, for a server at this port. */
extern struct spin_config config;
void reset_config(int port);
void set_text(spin_string *setting, const char *text);

/* Calls an effect with words that have spaces between. Each call is a run of its own, or the one of the key. */
spin_call *call_command(spin_self *self, const char *words, const char *key);
spin_call *call_bytes(spin_self *self, const char *const *words, const size_t *sizes, size_t count);
spin_call *call_subscribe(spin_self *self, const char *channels, const char *patterns);
spin_call *call_read(spin_self *self, const char *stream, const char *consumer, int acknowledges,
                     const char *key);
spin_call *call_acknowledge(spin_self *self, const char *stream, const char *id, const char *key);

/* Does the same, with the call of the test. */
void command_with(spin_self *self, spin_call *call, const char *words);
void subscribe_with(spin_self *self, spin_call *call, const char *channels, const char *patterns);
void read_with(spin_self *self, spin_call *call, const char *stream, const char *consumer, int acknowledges);

/* Waits until the instance has seen all calls and cancellations before, and done what they need. */
void settle(spin_self *self);

/* Lets this time pass for the instance. */
void pass(spin_self *self, spin_duration time);

/* Makes an instance for a peer, to which nobody else has connected. */
spin_self *make_for(int listener);

/* Ends the instance; its peer sees that. */
void end(spin_self *self);
void end_with(spin_self *self, int peer);

/* The parts of the test: those with Redis, and those with a peer that plays it. */
void test_settings(void);
void test_values(void);
void test_login(void);
void test_messages(void);
void test_groups(void);
void test_claims(void);
void test_refusals_of_server(void);
void test_restarts(void);
void test_memory(void);
void test_pings(int listener, int port);
void test_failovers(int listener, int port);
void test_damage(int listener, int port);
void test_losses(int listener, int port);
void test_room(int listener, int port);
void test_acknowledgements(int listener, int port);
void test_reading(int listener, int port);
void test_retries(int listener, int port);
void test_in_work(int listener, int port);
void test_swaps(int listener, int port);

#endif
