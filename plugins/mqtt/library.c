// The client of libmosquitto, and the functions that it calls.
#include "library.h"
#include "client.h"
#include "subscription.h"
#include <signal.h>

// Sets up libmosquitto for this version of the plugin. Its count of users is not for several threads, and its cleanup
// unloads the configuration of OpenSSL, which others use. So it is not cleaned up.
static void set_up(void) { mosquitto_lib_init(); }

static void has_connected(struct mosquitto *client, void *context, int code, int flags) {
    (void)client;
    link_has_connected(context, code, flags & 1);
}

static void has_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    spin_self *self = context;
    (void)client;
    if (message->payloadlen > self->config->largest_message)
        spin_log_with(
            NULL, SPIN_LOG_WARNING, "a message is larger than the setting `largest_message`, and is dropped",
            spin_field_text("topic", message->topic), spin_field_integer("bytes", message->payloadlen));
    else if (!hold_add(&self->hold, message))
        self->link.has_failed = 1;
}

static void has_published(struct mosquitto *client, void *context, int mid) {
    (void)client;
    publish_is_done(context, mid);
}

static void has_subscribed(struct mosquitto *client, void *context, int mid, int count, const int *granted) {
    (void)client;
    subscription_is_answered(context, mid, count > 0 && granted[0] <= 2);
}

static void has_unsubscribed(struct mosquitto *client, void *context, int mid) {
    spin_self *self = context;
    (void)client;
    self->link.is_fenced |= mid == fence_mid;
}

static int configure(spin_self *self) {
    const spin_config *config = self->config;
    struct mosquitto *client = self->client;
    int error = mosquitto_threaded_set(client, true); // It sends nothing before `mosquitto_loop_write`.
    if (!error && config->user.size > 0)
        error = mosquitto_username_pw_set(client, config->user.data,
                                          config->password.size > 0 ? config->password.data : NULL);
    if (!error && config->will_topic.size > 0)
        error = mosquitto_will_set(client, config->will_topic.data, (int)config->will_payload.size,
                                   config->will_payload.data, config->will_qos, config->will_retained);
    if (!error && self->tls)
        error = tls_use(client, self->tls);
    mosquitto_connect_with_flags_callback_set(client, has_connected);
    mosquitto_message_callback_set(client, has_message);
    mosquitto_publish_callback_set(client, has_published);
    mosquitto_subscribe_callback_set(client, has_subscribed);
    mosquitto_unsubscribe_callback_set(client, has_unsubscribed);
    return error;
}

static const char *client_id(const spin_config *config) {
    return config->client.size > 0 ? config->client.data : NULL;
}

const char *library_open(spin_self *self, char *reason, size_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const spin_config *config = self->config;
    pthread_once(&once, set_up);
    if (self->place.has_tls && !(self->tls = tls_make(config, &self->place, reason, size)))
        return reason;
    // Libmosquitto ignores this signal for the whole process. The thread of the client blocks it anyway.
    struct sigaction before;
    sigaction(SIGPIPE, NULL, &before);
    self->client = mosquitto_new(client_id(config), !config->keeps_session, self);
    sigaction(SIGPIPE, &before, NULL);
    if (self->client && configure(self) == MOSQ_ERR_SUCCESS)
        return NULL;
    library_close(self);
    return "libmosquitto cannot be set up";
}

int library_renew(spin_self *self) {
    return mosquitto_reinitialise(self->client, client_id(self->config), !self->config->keeps_session,
                                  self) == MOSQ_ERR_SUCCESS &&
           configure(self) == MOSQ_ERR_SUCCESS;
}

void library_close(spin_self *self) {
    mosquitto_destroy(self->client);
    SSL_CTX_free(self->tls);
    self->client = NULL;
    self->tls = NULL;
}
