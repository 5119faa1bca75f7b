// The request that acknowledges entries, all that are done at once.
#include "acknowledging.h"
#include "../instance.h"
#include "../../common/patience.h"
#include <stdlib.h>
#include <string.h>

// Makes the request for so many entries; NULL without memory.
static struct request *make_request(const struct stream *stream, size_t count) {
    size_t all = count + 3, next = 3;
    char(*ids)[id_size] = malloc(count * sizeof *ids);
    const char **texts = calloc(all, sizeof *texts);
    size_t *sizes = calloc(all, sizeof *sizes);
    struct request *request = NULL;
    if (ids && texts && sizes) {
        texts[0] = "XACK", sizes[0] = 4;
        for (int i = 0; i <= STREAM_GROUP; i++)
            texts[i + 1] = stream->texts[i], sizes[i + 1] = stream->sizes[i];
        for (size_t i = 0; i < stream->entries.count; i++) {
            if (stream->entries.all[i]->state != ENTRY_IS_DONE)
                continue;
            char *id = ids[next - 3];
            entry_id_write(&stream->entries.all[i]->id, id);
            texts[next] = id;
            sizes[next++] = strlen(id);
        }
        request = request_of_words(REQUEST_ACKNOWLEDGE, &(struct words){all, texts, sizes});
    }
    free(ids);
    free(texts);
    free(sizes);
    return request;
}

void acknowledging_wait(struct stream *stream) {
    spin_self *self = stream->link.self;
    stream->acknowledge_due =
        spin_monotonic() +
        patience(self->config->reconnect_least, self->config->reconnect_most, ++stream->acknowledge_failures);
    instance_come(self, stream->acknowledge_due);
}

void acknowledging_send(struct stream *stream) {
    spin_self *self = stream->link.self;
    struct link *link = &self->commands.link;
    size_t count = stream->is_acknowledging ? 0 : entries_in(&stream->entries, ENTRY_IS_DONE);
    if (count == 0)
        return;
    if (stream->acknowledge_due > spin_monotonic()) {
        instance_come(self, stream->acknowledge_due);
        return;
    }
    link_begin(link);
    if (link->state != LINK_IS_UP || link->farewell)
        return;
    struct request *request = make_request(stream, count);
    if (!request) {
        acknowledging_wait(stream);
        return;
    }
    request->stream = stream;
    stream->is_acknowledging = 1;
    entries_change(&stream->entries, ENTRY_IS_DONE, ENTRY_IS_SENT);
    link_add(link, request);
}

void acknowledging_send_all(spin_self *self) {
    for (struct stream *stream = self->streams; stream; stream = stream->next)
        acknowledging_send(stream);
}
