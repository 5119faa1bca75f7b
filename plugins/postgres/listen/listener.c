#include "listener.h"
#include "../instance.h"
#include "../connection/reason.h"
#include "telling.h"
#include "../../common/patience.h"
#include <stdio.h>
#include <string.h>

// All begins again with the next connection.
static void reset(struct listener *listener) {
    telling_forget(listener);
    listener->asked = NULL;
    for (struct channel *next, *channel = listener->channels; channel; channel = next) {
        next = channel->next;
        channel->state = CHANNEL_IS_WANTED;
        for (struct job *job = channel->first; job; job = job->next)
            job->is_untold = 0;
        if (!channel->first)
            channel_remove(&listener->channels, channel);
    }
}

void listener_take(spin_self *self, struct job *job) {
    struct listener *listener = &self->listener;
    if (!channel_join(&listener->channels, job)) {
        engine_call_fail(&job->base, SPIN_NO_MEMORY, "no memory");
        return;
    }
    job->seen = listener->number;
    job->is_untold = job->channel->state == CHANNEL_IS_THERE;
    job->is_lost = listener->reason[0] != 0;
}

void listener_sweep(spin_self *self) {
    for (struct channel *channel = self->listener.channels; channel; channel = channel->next)
        for (struct job *next, *job = channel->first; job; job = next) {
            next = job->next;
            if (!engine_call_is_over(&job->base))
                continue;
            channel_leave(job);
            engine_call_drop(&job->base);
        }
}

static void refuse_all(struct channel *channel, const char *reason) {
    for (struct job *job; (job = channel->first);) {
        channel->first = job->next;
        engine_call_fail(&job->base, POSTGRES_REFUSED, reason);
    }
}

// The server listens to the channel, or refuses it.
static void end_listen(struct listener *listener, struct channel *channel) {
    channel->state = listener->refusal[0] ? CHANNEL_IS_WANTED : CHANNEL_IS_THERE;
    if (listener->refusal[0])
        refuse_all(channel, listener->refusal);
    for (struct job *job = channel->first; job; job = job->next) {
        job->is_untold = 1;
        job->is_lost = 0;
        job->seen = listener->number;
    }
}

static struct listener *listener_of(struct connection *connection) {
    return (struct listener *)((char *)connection - offsetof(struct listener, connection));
}

static void is_ready(struct connection *connection) {
    struct listener *listener = listener_of(connection);
    int64_t now = spin_monotonic();
    if (!listener->opened) {
        instance_report(connection->self, NULL);
        listener->opened = now;
        listener->reason[0] = 0;
    }
    if (listener->asked && listener->is_leaving)
        listener->asked->state = CHANNEL_IS_WANTED; // A call may have come meanwhile.
    else if (listener->asked)
        end_listen(listener, listener->asked);
    listener->asked = NULL;
    listener->due = now + connection->self->config->keep_alive;
}

static void has_result(struct connection *connection, const PGresult *result) {
    struct listener *listener = listener_of(connection);
    if (PQresultStatus(result) == PGRES_FATAL_ERROR && !listener->refusal[0])
        reason_of_result(connection->self, listener->refusal, result);
}

static void has_read(struct connection *connection) {
    listener_of(connection)->due = spin_monotonic() + connection->self->config->keep_alive;
}

static void is_lost(struct connection *connection, const char *reason, int was_open) {
    struct listener *listener = listener_of(connection);
    const spin_config *config = connection->self->config;
    int64_t now = spin_monotonic();
    if (was_open && now - listener->opened >= SHORTEST_HOLD)
        listener->failures = 0;
    listener->opened = 0;
    listener->due = now + patience(config->reconnect_least, config->reconnect_most, ++listener->failures);
    instance_report(connection->self, reason);
    reset(listener);
    // The loop hears of a reason once.
    if (strcmp(listener->reason, reason) == 0)
        return;
    snprintf(listener->reason, sizeof listener->reason, "%s", reason);
    for (struct channel *channel = listener->channels; channel; channel = channel->next)
        for (struct job *job = channel->first; job; job = job->next)
            job->is_lost = 1;
}

void listener_init(struct listener *listener, spin_self *self) {
    static const struct connection_owner owner = {is_ready, has_result, has_read, is_lost};
    connection_init(&listener->connection, self, &owner);
}

// Sends the statement for a channel that the server knows too little of; 0 without one.
static int ask(struct listener *listener) {
    char text[longest_listen];
    for (struct channel *next, *channel = listener->channels; channel; channel = next) {
        next = channel->next;
        if (channel->state == CHANNEL_IS_WANTED && !channel->first) {
            channel_remove(&listener->channels, channel);
            continue;
        }
        listener->is_leaving = !channel->first;
        if (channel->state == (channel->first ? CHANNEL_IS_THERE : CHANNEL_IS_WANTED))
            continue;
        channel_statement(channel, text);
        channel->state = CHANNEL_IS_ASKED;
        listener->asked = channel;
        listener->refusal[0] = 0;
        connection_ask(&listener->connection, text);
        return 1;
    }
    return 0;
}

static void serve_idle(spin_self *self, int64_t now) {
    struct listener *listener = &self->listener;
    if (listener->held || ask(listener))
        return;
    if (listener->due <= now) // An empty statement: a server that is there answers it.
        connection_ask(&listener->connection, "");
    else
        instance_come(self, listener->due);
}

static int has_calls(const struct listener *listener) {
    const struct channel *channel = listener->channels;
    while (channel && !channel->first)
        channel = channel->next;
    return channel != NULL;
}

static void rest(struct listener *listener) {
    connection_close(&listener->connection);
    reset(listener);
    listener->reason[0] = 0;
    listener->opened = listener->due = 0;
}

void listener_serve(spin_self *self, int64_t now) {
    struct listener *listener = &self->listener;
    connection_check(&listener->connection, now);
    if (!has_calls(listener)) {
        rest(listener);
        return;
    }
    if (listener->connection.state == CONNECTION_IS_CLOSED && listener->due <= now)
        connection_open(&listener->connection);
    telling_run(listener);
    connection_pause(&listener->connection, listener->held != NULL);
    if (listener->connection.state == CONNECTION_IS_IDLE)
        serve_idle(self, now);
    if (listener->connection.state != CONNECTION_IS_CLOSED)
        return;
    telling_run(listener); // It may have been lost just now.
    instance_come(self, listener->due);
}

void listener_end(spin_self *self) {
    struct listener *listener = &self->listener;
    for (struct channel *channel = listener->channels; channel; channel = channel->next)
        while (channel->first) {
            struct job *job = channel->first;
            channel_leave(job);
            engine_call_drop(&job->base);
        }
    rest(listener);
}
