#include "world.h"
#include "../plugin-host/plugin.h"
#include <stdio.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;
static char url[64];
static spin_string servers[8];
void reset_config(int port) {
    config = (struct spin_config){.name = TEXT(""),
                                  .inbox = TEXT("_INBOX"),
                                  .connect_timeout = 10 * SECOND,
                                  .request_timeout = 5 * SECOND,
                                  .keep_alive = 60 * SECOND,
                                  .reconnect_least = SECOND,
                                  .reconnect_most = 60 * SECOND,
                                  .largest_message = 1048576,
                                  .most_waiting = 1000,
                                  .most_held = 10000,
                                  .most_held_bytes = 16777216};
    spin_string *const empty[] = {
        &config.user,    &config.password,         &config.token,   &config.nkey, &config.credentials,
        &config.ca_file, &config.certificate_file, &config.key_file};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        *empty[i] = TEXT("");
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    use_servers((const char *const[]){url}, 1);
}

void use_servers(const char *const urls[], size_t number) {
    for (size_t i = 0; i < number; i++)
        servers[i] = (spin_string){urls[i], strlen(urls[i])};
    config.servers = (spin_list_string){servers, number};
}

static spin_string text(const char *words) { return (spin_string){words, strlen(words)}; }
static spin_bytes bytes(const char *data) { return (spin_bytes){(const uint8_t *)data, strlen(data)}; }

spin_call *call_connection(spin_self *self) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *))plugin_effect("connection"))(call, self);
    return call;
}

typedef void subscribes(spin_call *, spin_self *, spin_string, spin_string);

spin_call *call_subscribe(spin_self *self, const char *subject, const char *queue) {
    spin_call *call = host_call("run");
    ((subscribes *)plugin_effect("subscribe"))(call, self, text(subject), text(queue));
    return call;
}

void subscribe_with(spin_self *self, spin_call *call, const char *subject) {
    ((subscribes *)plugin_effect("subscribe"))(call, self, text(subject), TEXT(""));
}

spin_call *call_send(spin_self *self, const char *effect, const char *subject, spin_bytes data,
                     const char *header) {
    spin_call *call = host_call("run");
    spin_string item = text(header ? header : "");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_bytes, spin_list_string))plugin_effect(effect))(
        call, self, text(subject), data, (spin_list_string){&item, header ? 1 : 0});
    return call;
}

spin_call *call_publish(spin_self *self, const char *subject, const char *data) {
    return call_send(self, "publish", subject, bytes(data), NULL);
}

spin_call *call_request(spin_self *self, const char *subject, const char *data) {
    return call_send(self, "request", subject, bytes(data), NULL);
}

spin_call *call_store(spin_self *self, const char *subject, const char *data, const char *header,
                      const char *id) {
    spin_call *call = host_call("key of the run");
    spin_string item = text(header ? header : "");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_bytes, spin_list_string,
               spin_string))plugin_effect("store"))(call, self, text(subject), bytes(data),
                                                    (spin_list_string){&item, header ? 1 : 0}, text(id));
    return call;
}

void consume_with(spin_self *self, spin_call *call, const char *stream, const char *consumer, int64_t batch) {
    ((void (*)(spin_call *, spin_self *, spin_string, spin_string, int64_t))plugin_effect("consume"))(
        call, self, text(stream), text(consumer), batch);
}

spin_call *call_consume(spin_self *self, const char *stream, const char *consumer, int64_t batch) {
    spin_call *call = host_call("run");
    consume_with(self, call, stream, consumer, batch);
    return call;
}

spin_call *call_tell(spin_self *self, const char *effect, const char *message) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string))plugin_effect(effect))(call, self, text(message));
    return call;
}

spin_call *call_refuse(spin_self *self, const char *message, spin_duration delay) {
    spin_call *call = host_call("run");
    ((void (*)(spin_call *, spin_self *, spin_string, spin_duration))plugin_effect("negative_acknowledge"))(
        call, self, text(message), delay);
    return call;
}

void settle(spin_self *self) {
    /* The instance takes calls in order. */
    spin_call *call = call_connection(self);
    host_await(call, "\n");
    host_cancel(call);
}

void try_again(spin_self *self, spin_duration wait) {
    settle(self);
    host_await_timer(wait);
    host_advance(wait);
}

void await_connection(spin_self *self) {
    spin_call *call = call_connection(self);
    host_await(call, "connected\n");
    host_cancel(call);
}

void end(spin_self *self) {
    stop(self);
    destroy(self);
}
