#include "world.h"
#include "../plugin-host/plugin.h"
#include "wire/message.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int plugin_waits = 0;

struct spin_config config;
static char url[64];
static spin_string servers[8];
static char delivered[512];

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count, missing, is_counting;

const char *last_delivered(void) { return delivered; }

/* Messages come in order. Those that are missing were reported before. */
static void note_count(spin_bytes data) {
    char digits[16] = "";
    check("it is a number", data.size < sizeof digits);
    memcpy(digits, data.data, data.size);
    pthread_mutex_lock(&turn);
    check("messages are in order, and each that is missing was reported", atoi(digits) == ++count + missing);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

static void note_missed(int64_t number) {
    pthread_mutex_lock(&turn);
    missing += (int)number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

void begin_count(void) {
    count = missing = 0;
    is_counting = 1;
}

void await_count(int number) {
    pthread_mutex_lock(&turn);
    while (count + missing < number)
        pthread_cond_wait(&changed, &turn);
    check("there are no more", count + missing == number);
    is_counting = 0;
    pthread_mutex_unlock(&turn);
}

int counted(void) { return count; }
int missed(void) { return missing; }

static int show_data(char *text, size_t capacity, spin_bytes data) {
    return data.size > 64 ? snprintf(text, capacity, " %zu bytes", data.size)
                          : snprintf(text, capacity, " %.*s", (int)data.size, (const char *)data.data);
}

static int show_headers(char *text, size_t capacity, spin_list_nats_header headers) {
    int size = 0;
    for (size_t i = 0; i < headers.count; i++)
        size += snprintf(text + size, capacity - (size_t)size, " [%.*s=%.*s]",
                         (int)headers.items[i].name.size, headers.items[i].name.data,
                         (int)headers.items[i].value.size, headers.items[i].value.data);
    return size;
}

struct received {
    spin_string subject, reply;
    spin_list_nats_header headers;
    spin_bytes data;
};

struct consumed {
    spin_string message, subject;
    spin_list_nats_header headers;
    spin_bytes data;
    int64_t sequence, deliveries;
};

static int show_received(char *text, size_t capacity, const struct received *message) {
    int size = snprintf(text, capacity, "%.*s", (int)message->subject.size, message->subject.data);
    if (message->reply.size > 0 && message->reply.size < 32)
        size += snprintf(text + size, capacity - (size_t)size, " to %.*s", (int)message->reply.size,
                         message->reply.data);
    size += show_headers(text + size, capacity - (size_t)size, message->headers);
    return size + show_data(text + size, capacity - (size_t)size, message->data);
}

static int show_consumed(char *text, size_t capacity, const struct consumed *message) {
    check("there is room", message->message.size < sizeof delivered);
    memcpy(delivered, message->message.data, message->message.size);
    delivered[message->message.size] = 0;
    int size = snprintf(text, capacity, "%.*s #%lld x%lld", (int)message->subject.size, message->subject.data,
                        (long long)message->sequence, (long long)message->deliveries);
    size += show_headers(text + size, capacity - (size_t)size, message->headers);
    return size + show_data(text + size, capacity - (size_t)size, message->data);
}

void host_render(spin_call *call, const spin_emitter *emitter, const void *payload) {
    char text[1024];
    const spin_string *words = payload;
    const struct received *received = payload;
    const struct {
        spin_list_nats_header headers;
        spin_bytes data;
    } *answered = payload;
    const struct {
        spin_string stream;
        int64_t sequence;
        bool duplicate;
    } *stored = payload;
    int size;
    if (strcmp(emitter->name, "message") == 0 && strncmp(words->data, "count", words->size) == 0) {
        note_count(received->data);
        return;
    }
    if (strcmp(emitter->name, "missed") == 0 && is_counting) {
        note_missed(*(const int64_t *)payload);
        return;
    }
    if (strcmp(emitter->name, "message") == 0) {
        size = show_received(text, sizeof text, received);
    } else if (strcmp(emitter->name, "delivered") == 0) {
        size = show_consumed(text, sizeof text, payload);
    } else if (strcmp(emitter->name, "answered") == 0) {
        size = snprintf(text, sizeof text, "answer");
        size += show_headers(text + size, sizeof text - (size_t)size, answered->headers);
        size += show_data(text + size, sizeof text - (size_t)size, answered->data);
    } else if (strcmp(emitter->name, "stored") == 0) {
        size = snprintf(text, sizeof text, "stored %.*s #%lld%s", (int)stored->stream.size,
                        stored->stream.data, (long long)stored->sequence, stored->duplicate ? " again" : "");
    } else if (strcmp(emitter->name, "missed") == 0) {
        size = snprintf(text, sizeof text, "missed %lld", (long long)*(const int64_t *)payload);
    } else if (strcmp(emitter->name, "connected") == 0) {
        size = snprintf(text, sizeof text, "connected");
    } else {
        size = snprintf(text, sizeof text, "%s %.*s", emitter->name, (int)words->size, words->data);
    }
    text[size] = '\n';
    host_note(call, text, (size_t)size + 1);
}

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
