// The client of an instance. From `start` to `stop` its thread alone uses libmosquitto, and emits.
//
// `turn` is the only lock of the plugin. No function of the host and of libmosquitto is called under it.
#ifndef MQTT_CLIENT_H
#define MQTT_CLIENT_H

#include "mqtt.h"
#include "../common/thread.h"
#include "hold.h"
#include "link.h"
#include "publish.h"
#include "tls.h"
#include <pthread.h>

struct call;
struct subscription;

struct spin_self {
    const spin_config *config;
    struct place place;

    pthread_mutex_t turn;
    pthread_cond_t changed; /* broadcast when the last call is freed */
    /* Under `turn`. */
    int is_open;
    struct call *first_new, **last_new; /* calls that the thread has not seen */
    size_t call_count;                  /* how many calls are not freed */
    int32_t publish_count;              /* how many of them publish */

    /* Wakes the thread; -1 before `start`. It stays until the end, since a late function of a call may ring. */
    int bell;
    pthread_t thread;

    /* For the thread, or for `start` and `stop` without one. */
    struct mosquitto *client;
    SSL_CTX *tls; /* NULL without TLS */
    struct link link;
    struct hold hold;
    struct call *calls, **last_call; /* in the order in which they were made */
    struct subscription *subscriptions;
    struct sending sendings[most_sendings];
};

/* Zeroed memory with its settings becomes a client without a thread; an error number after a failure. */
int client_init(spin_self *self);
void client_free(spin_self *self);

/* Begins to connect; NULL, or why it cannot. */
const char *client_start(spin_self *self, char *reason, size_t size);

/* Ends the connection and the thread. The host has ended all calls. */
void client_stop(spin_self *self);

/* Has the thread look at what is to be done. On any thread. */
void client_ring(spin_self *self);

#endif
