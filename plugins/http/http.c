// Requests over HTTP with libcurl. Each instance has one thread, which serves all requests of its loop.
#include "instance.h"
#include "fields.h"
#include "../common/instance/create.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_PLUGIN("http", "1.0.0");

// Fails, as a setting is not valid; 0.
static int refuse_setting(spin_call *call, const char *setting, const char *reason) {
    char text[512];
    snprintf(text, sizeof text, "setting `%s`: %s", setting, reason);
    spin_fail(call, SPIN_BAD_VALUE, text);
    return 0;
}

static int are_valid(spin_call *call, const spin_config *config) {
    struct reason why;
    for (size_t i = 0; i < config->headers.count; i++)
        if (!is_header(config->headers.items[i], &why))
            return refuse_setting(call, "headers", why.text);
    if (config->secret_header.size > 0 && !is_header(config->secret_header, &why))
        return refuse_setting(call, "secret_header", why.text);
    if (config->proxy.size > 0 && !is_proxy(config->proxy, &why))
        return refuse_setting(call, "proxy", why.text);
    for (size_t i = 0; i < config->user_agent.size; i++)
        if ((unsigned char)config->user_agent.data[i] < ' ')
            return refuse_setting(call, "user_agent", "it has a line break or another control character");
    return 1;
}

static spin_self *create(spin_call *call, const spin_config *config) {
    if (!are_valid(call, config))
        return NULL;
    spin_self *self = create_begin(call, NULL, sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    int error = pthread_mutex_init(&self->places.turn, NULL);
    if (!error) {
        error = pthread_mutex_init(&self->outboxes.turn, NULL);
        if (!error) {
            error = engine_init(&self->engine);
            if (!error)
                return self;
            pthread_mutex_destroy(&self->outboxes.turn);
        }
        pthread_mutex_destroy(&self->places.turn);
    }
    return create_end(call, self, error);
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    places_free(&self->places);
    pthread_mutex_destroy(&self->outboxes.turn);
    pthread_mutex_destroy(&self->places.turn);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    const char *file = self->config->ca_file.data, *why;
    if (self->config->ca_file.size > 0 && access(file, R_OK) != 0) {
        char reason[256];
        const char *cause = strerrordesc_np(errno);
        snprintf(reason, sizeof reason, "cannot read `%s`: %s", file, cause ? cause : "unknown error");
        refuse_setting(call, "ca_file", reason);
        return SPIN_FAILED;
    }
    if (engine_start(&self->engine, self->config->most_connections, &why))
        return SPIN_OK;
    spin_fail(call, SPIN_FAILED, why);
    return SPIN_FAILED;
}

static void stop(spin_self *self) { engine_stop(&self->engine); }
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return places_save(&self->places, saving);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    if (saved->schema == 1 && places_restore(&self->places, saved->data, saved->data_size))
        return SPIN_OK;
    spin_fail(call, SPIN_BAD_VALUE, "these are no places of streams");
    return SPIN_BAD_VALUE;
}
SPIN_SWAP(save, restore, 1);
