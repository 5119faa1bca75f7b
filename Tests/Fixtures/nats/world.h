/* Instances of the plugin, and calls of its effects. */
#ifndef NATS_TEST_WORLD_H
#define NATS_TEST_WORLD_H

#include "nats.h"
#include "../plugin-host/counts.h"
#include "../plugin-host/host.h"
#include "../plugin-host/instances.h"
#include "../plugin-host/polls.h"

#define TEXT(literal) ((spin_string){literal, sizeof literal - 1})
#define SECOND INT64_C(1000000000)

/* The settings of the next instance: one server, at this port of 127.0.0.1, or several. */
extern struct spin_config config;
void reset_config(int port);
void use_servers(const char *const urls[], size_t count);

spin_call *call_connection(spin_self *self);
spin_call *call_subscribe(spin_self *self, const char *subject, const char *queue);
void subscribe_with(spin_self *self, spin_call *call, const char *subject);
spin_call *call_publish(spin_self *self, const char *subject, const char *data);
spin_call *call_request(spin_self *self, const char *subject, const char *data);
spin_call *call_send(spin_self *self, const char *effect, const char *subject, spin_bytes data,
                     const char *header);
spin_call *call_store(spin_self *self, const char *subject, const char *data, const char *header,
                      const char *id);
spin_call *call_consume(spin_self *self, const char *stream, const char *consumer, int64_t batch);
void consume_with(spin_self *self, spin_call *call, const char *stream, const char *consumer, int64_t batch);
spin_call *call_tell(spin_self *self, const char *effect, const char *message);
spin_call *call_refuse(spin_self *self, const char *message, spin_duration delay);

/* The `message` of what was delivered last. */
const char *last_delivered(void);

/* Waits until the instance has seen all calls and cancellations before. */
void settle(spin_self *self);

/* Waits until the instance has a connection; lets time pass as often as it needs. */
void await_connection(spin_self *self);

/* Waits until the instance is to try again within this time, and lets that time pass. */
void try_again(spin_self *self, spin_duration wait);

void end(spin_self *self);

/* Messages of the subject `count` are numbers from 1, which are checked. Between these two, those that are missing
 * count, too. The second one waits for so many, and returns how many were missing. */
void begin_count(void);
int end_count(int count);

#endif
