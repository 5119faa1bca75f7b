#include "channel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct channel *channel_find(struct channel *channels, const char *name) {
    while (channels && strcmp(channels->name, name) != 0)
        channels = channels->next;
    return channels;
}

int channel_join(struct channel **channels, struct job *job) {
    struct channel *channel = channel_find(*channels, job->name);
    if (!channel) {
        channel = calloc(1, sizeof *channel);
        if (!channel)
            return 0;
        memcpy(channel->name, job->name, sizeof channel->name);
        channel->next = *channels;
        *channels = channel;
    }
    job->channel = channel;
    job->next = channel->first;
    channel->first = job;
    return 1;
}

void channel_leave(struct job *job) {
    struct job **link = &job->channel->first;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
}

void channel_remove(struct channel **channels, struct channel *channel) {
    while (*channels != channel)
        channels = &(*channels)->next;
    *channels = channel->next;
    free(channel);
}

void channel_statement(const struct channel *channel, char text[longest_listen]) {
    // A name in double quotes, in which each of these stands twice.
    size_t used = (size_t)snprintf(text, longest_listen, "%s \"", channel->first ? "LISTEN" : "UNLISTEN");
    for (const char *next = channel->name; *next; next++) {
        if (*next == '"')
            text[used++] = '"';
        text[used++] = *next;
    }
    text[used++] = '"';
    text[used] = 0;
}
