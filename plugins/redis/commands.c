#include "commands.h"
#include "instance.h"
#include "link/trouble.h"
#include "stream/acknowledging.h"
#include <stddef.h>
#include <stdio.h>

SPIN_EMITTER(answered, (spin_string, type), (spin_string, text), (int64_t, integer), (spin_bytes, bytes),
             (spin_list_redis_value, items));

static struct commands *commands_of(struct link *link) {
    return (struct commands *)((char *)link - offsetof(struct commands, link));
}

static int can_read(struct link *link) { return !commands_of(link)->blocked; }

static spin_status emit(spin_call *call, const struct reply *reply) {
    const redis_value *value = reply->values;
    return spin_wait_answered(call, value->type, value->text, value->integer, value->bytes,
                              (spin_list_redis_value){value + 1, reply->count - 1}, 0);
}

// Ends the call of a command that was sent. If it was cancelled, the host may make it again.
static void end_sent(struct link *link, struct job *job, spin_status code, const char *reason) {
    if (!job_end(job, code, reason))
        commands_note(link->self, job);
}

// Gives an answer to its call; 0 if it must wait.
static int answer_job(struct link *link, struct job *job) {
    const struct reply *reply = &link->reply;
    if (reply->kinds[0] == REPLY_ERROR) {
        end_sent(link, job, REDIS_REFUSED, reply->values[0].text.data);
        return 1;
    }
    if (!engine_call_is_over(&job->base) && !job->is_quiet &&
        !engine_call_continues(&job->base, emit(job->base.call, reply))) {
        commands_of(link)->blocked = job;
        return 0;
    }
    end_sent(link, job, SPIN_OK, NULL);
    return 1;
}

static int answer(struct link *link) {
    const struct reply *reply = &link->reply;
    struct request *request = link_asked(link);
    const char *away = reply->kinds[0] == REPLY_ERROR ? trouble_away(reply->values[0].text) : NULL;
    if (!request) {
        link_lose(link, "the server has sent an answer that nobody has asked for");
        return 0;
    }
    if (away)
        link_part(link, away);
    if (request->kind == REQUEST_COMMAND && !answer_job(link, request->job))
        return 0;
    link_remove(link);
    if (request->kind == REQUEST_ACKNOWLEDGE && request->stream)
        acknowledging_answer(request->stream, reply);
    request_free(request);
    return 1;
}

static void is_up(struct link *link) { acknowledging_send_all(link->self); }

static void is_lost(struct link *link) {
    char reason[most_reason + 128];
    commands_of(link)->blocked = NULL; // Its call ends below.
    for (struct request *request; (request = link_remove(link));) {
        if (request->kind == REQUEST_ACKNOWLEDGE && request->stream) {
            acknowledging_is_lost(request->stream);
        } else if (request->kind == REQUEST_COMMAND && request->done > 0) {
            snprintf(reason, sizeof reason,
                     "the connection was lost before the answer, and the server may have done it: %s",
                     link->reason);
            end_sent(link, request->job, REDIS_UNSURE, reason);
        } else if (request->kind == REQUEST_COMMAND) {
            snprintf(reason, sizeof reason, "there is no connection: %s", link->reason);
            job_end(request->job, REDIS_NO_CONNECTION, reason);
        }
        request_free(request);
    }
}

void commands_init(spin_self *self) {
    static const struct link_kind kind = {"commands", can_read, answer, is_up, is_lost};
    link_init(&self->commands.link, self, &kind);
}

void commands_note(spin_self *self, const struct job *job) {
    if (!job->is_quiet && job->base.key[0] &&
        !unsure_add(&self->unsure, job->base.key, (size_t)self->config->most_waiting))
        spin_log(NULL, SPIN_LOG_WARNING, "there is no memory to note that a command was sent");
}

void commands_begin(spin_self *self, struct job *job) {
    struct link *link = &self->commands.link;
    char reason[most_reason + 32];
    if (!job->is_quiet && job->base.key[0] && unsure_take(&self->earlier, job->base.key)) {
        engine_call_fail(&job->base, REDIS_UNSURE,
                         "the version before a swap has sent the command, and the server may have done it");
        return;
    }
    link_begin(link);
    if (link->farewell || (link->state == LINK_RESTS && link->reason[0])) {
        snprintf(reason, sizeof reason, "there is no connection: %s",
                 link->farewell ? link->farewell : link->reason);
        engine_call_fail(&job->base, REDIS_NO_CONNECTION, reason);
        return;
    }
    link_add(link, &job->request);
}

void commands_end(spin_self *self) {
    for (const struct request *next = self->commands.link.first; next; next = next->next)
        if (next->kind == REQUEST_COMMAND && next->done > 0)
            commands_note(self, next->job);
    self->commands.blocked = NULL;
    // Also for this instance, if the host takes it back. Calls of the one before may not have come yet.
    unsure_move(&self->unsure, &self->earlier, 2 * (size_t)self->config->most_waiting);
}

void commands_resume(spin_self *self) {
    struct job *blocked = self->commands.blocked;
    if (!blocked || (!engine_call_is_over(&blocked->base) && !lasting_can_emit(&blocked->base.lasting)))
        return;
    self->commands.blocked = NULL;
    self->commands.link.active = spin_monotonic();
    link_run(&self->commands.link);
}
