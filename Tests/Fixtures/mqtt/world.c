#include "world.h"
#include "../plugin-host/counts.h"
#include "../plugin-host/host.h"
#include "../plugin-host/plugin.h"
#include "../plugin-host/saved.h"
#include "peer.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const int plugin_waits = 0;

static char broker[64];
struct spin_config world_config = {.keep_alive = 60000000000,
                                   .reconnect_least = 10000000,
                                   .reconnect_most = 10000000,
                                   .largest_message = 1000,
                                   .most_waiting = 1000};

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    const struct {
        spin_string topic;
        spin_bytes payload;
        int32_t qos;
        bool retained;
    } *message = payload;
    char text[512];
    int size;
    if (strcmp(emitter->name, "connected") == 0)
        size = snprintf(text, sizeof text, "connected%s\n", *(const bool *)payload ? " again" : "");
    else if (strcmp(emitter->name, "disconnected") == 0)
        size = snprintf(text, sizeof text, "disconnected %s\n", ((const spin_string *)payload)->data);
    else if (strcmp(message->topic.data, "count") == 0) {
        note_number(message->payload.data, message->payload.size);
        return;
    } else
        size =
            snprintf(text, sizeof text, "%s %.*s q%d%s\n", message->topic.data, (int)message->payload.size,
                     (const char *)message->payload.data, message->qos, message->retained ? " retained" : "");
    host_note(call, text, (size_t)size);
}

void world_init(int port) {
    plugin_load(&test_host);
    int size = snprintf(broker, sizeof broker, "mqtt://127.0.0.1:%d", port);
    world_config.broker = (spin_string){broker, (size_t)size};
    spin_string *const empty[] = {&world_config.client,           &world_config.user,
                                  &world_config.password,         &world_config.will_topic,
                                  &world_config.will_payload,     &world_config.ca_file,
                                  &world_config.certificate_file, &world_config.key_file};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        *empty[i] = (spin_string){"", 0};
}

void world_keep_session(int keeps) {
    world_config.client = keeps ? (spin_string){"c", 1} : (spin_string){"", 0};
    world_config.keeps_session = keeps != 0;
}

static spin_self *create(void) {
    spin_self *self = plugin_instance()->create(host_call("create"), &world_config);
    check("an instance is made", self != NULL);
    return self;
}

static void start(spin_self *self) {
    check("it starts", plugin_life()->start(host_call("start"), self) == SPIN_OK);
}

spin_self *world_start(void) {
    spin_self *self = create();
    start(self);
    return self;
}

void world_stop(spin_self *self) { plugin_life()->stop(self); }

static void *stop(void *self) {
    world_stop(self);
    return NULL;
}

void world_begin_stop(spin_self *self, pthread_t *thread) {
    check("a thread begins", pthread_create(thread, NULL, stop, self) == 0);
}

void world_destroy(spin_self *self) { plugin_instance()->destroy(self); }

void world_leave(spin_self *self, int peer) {
    static struct packet packet;
    pthread_t thread;
    world_begin_stop(self, &thread);
    if (world_config.keeps_session)
        peer_answer(peer, 0xb0, peer_read(peer, 0xa0, &packet));
    check("the client leaves in order", peer_is_left(peer, &packet));
    close(peer);
    pthread_join(thread, NULL);
    world_destroy(self);
}

spin_self *world_take_over(spin_self *self) {
    save(self);
    spin_self *next = create();
    restore_saved(next);
    start(next);
    return next;
}

void world_settle(spin_self *self) {
    // The thread takes calls in order.
    spin_call *call = world_connection(self);
    host_await(call, "\n");
    host_cancel(call);
}

spin_call *world_connection(spin_self *self) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *))plugin_effect("connection"))(call, self);
    return call;
}

void world_await_connection(spin_self *self) {
    spin_call *call = world_connection(self);
    host_await(call, "connected\n");
    host_cancel(call);
}

void world_subscribe_with(spin_self *self, spin_call *call, const char *filter, int qos) {
    ((void (*)(spin_call *, spin_self *, spin_string, int32_t))plugin_effect("subscribe"))(
        call, self, (spin_string){filter, strlen(filter)}, qos);
}

spin_call *world_subscribe(spin_self *self, const char *filter, int qos) {
    spin_call *call = host_call("run");
    world_subscribe_with(self, call, filter, qos);
    return call;
}

spin_call *world_publish(spin_self *self, const char *topic, const char *payload, int qos) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_bytes, int32_t, bool))plugin_effect("publish"))(
        call, self, (spin_string){topic, strlen(topic)},
        (spin_bytes){(const uint8_t *)payload, strlen(payload)}, qos, false);
    return call;
}
