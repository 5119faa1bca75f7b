#include "telling.h"
#include <string.h>

SPIN_EMITTER(listening);
SPIN_EMITTER(lost, (spin_string, reason));
SPIN_EMITTER(notification, (spin_string, channel), (spin_string, payload));

static spin_string text_of(const char *text) { return (spin_string){text, strlen(text)}; }

void telling_forget(struct listener *listener) {
    PQfreemem(listener->held);
    texts_free(&listener->texts);
    listener->held = NULL;
}

// Tells a call of the state of the connection, if it does not know it.
static void tell_state(const struct listener *listener, struct job *job) {
    if (!lasting_can_emit(&job->base.lasting))
        return;
    if (job->is_lost &&
        engine_call_continues(&job->base, spin_wait_lost(job->base.call, text_of(listener->reason), 0)))
        job->is_lost = 0;
    else if (job->is_untold && engine_call_continues(&job->base, spin_wait_listening(job->base.call, 0)))
        job->is_untold = 0;
}

// Whether the call has emitted the notification that is held, or does not want it.
static int tell(const struct listener *listener, struct job *job) {
    // Those from before `listening` are not for this call.
    if (job->seen >= listener->number || job->channel->state != CHANNEL_IS_THERE)
        return 1;
    if (job->is_untold || !lasting_can_emit(&job->base.lasting) ||
        !engine_call_continues(
            &job->base, spin_wait_notification(job->base.call, text_of(job->name), listener->payload, 0)))
        return 0;
    job->seen = listener->number;
    return 1;
}

static int tell_all(const struct listener *listener) {
    struct channel *channel = channel_find(listener->channels, listener->held->relname);
    int is_told = 1;
    for (struct job *job = channel ? channel->first : NULL; job; job = job->next)
        is_told &= tell(listener, job);
    return is_told;
}

// Takes the next notification; 0 without one.
static int take(struct listener *listener) {
    if (listener->connection.state < CONNECTION_IS_IDLE)
        return 0;
    PGconn *link = listener->connection.link;
    listener->held = PQnotifies(link);
    // This reads, and libpq closes its socket after what is not a message. No event tells of that.
    if (!listener->held && PQstatus(link) == CONNECTION_BAD)
        connection_lose(&listener->connection, PQerrorMessage(link));
    if (!listener->held)
        return 0;
    listener->number++;
    // A database without an encoding may send any bytes.
    if (texts_keep_repaired(&listener->texts, listener->held->extra, strlen(listener->held->extra),
                            &listener->payload))
        return 1;
    connection_lose(&listener->connection, "no memory for a notification");
    return 0;
}

void telling_run(struct listener *listener) {
    for (struct channel *channel = listener->channels; channel; channel = channel->next)
        for (struct job *job = channel->first; job; job = job->next)
            tell_state(listener, job);
    while ((listener->held || take(listener)) && tell_all(listener))
        telling_forget(listener);
}
