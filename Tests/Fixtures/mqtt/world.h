/* Instances of the plugin, and calls of its effects. */
#ifndef MQTT_TEST_WORLD_H
#define MQTT_TEST_WORLD_H

#include "mqtt.h"
#include <pthread.h>

extern struct spin_config world_config;

/* The plugin connects to this port of 127.0.0.1. */
void world_init(int port);

/* Later instances keep a session at the broker, or do not. */
void world_keep_session(int keeps);

spin_self *world_start(void);

/* Stops an instance on another thread. */
void world_begin_stop(spin_self *self, pthread_t *thread);
void world_stop(spin_self *self);
void world_destroy(spin_self *self);

/* Stops and destroys an instance, which must leave this broker of the test in order. */
void world_leave(spin_self *self, int peer);

/* A new instance that has restored what another one has saved, and runs. */
spin_self *world_take_over(spin_self *self);

/* Waits until the thread of the plugin has seen all that was before. */
void world_settle(spin_self *self);

spin_call *world_connection(spin_self *self);

/* Waits until the broker has accepted the client. */
void world_await_connection(spin_self *self);

spin_call *world_subscribe(spin_self *self, const char *filter, int qos);
void world_subscribe_with(spin_self *self, spin_call *call, const char *filter, int qos);
spin_call *world_publish(spin_self *self, const char *topic, const char *payload, int qos);

/* The tests with a real broker. */
void test_broker(void);

#endif
