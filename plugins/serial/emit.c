#include "emit.h"
#include "codec.h"
#include "instance.h"
#include "job.h"
#include "../std/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(line, (spin_string, text));
SPIN_EMITTER(frame, (spin_bytes, data));
SPIN_EMITTER(damaged, (int64_t, bytes), (spin_string, reason));

spin_status emit_damaged(struct reader *reader, size_t size, const char *why) {
    return spin_wait_damaged(reader->job->base.call, reader->dropped + (int64_t)size,
                             (spin_string){why, strlen(why)}, 0);
}

// Memory for what bytes become; 0 without memory.
static int reserve(struct reader *reader, size_t size) {
    if (reader->capacity >= size)
        return 1;
    uint8_t *grown = realloc(reader->decoded, size);
    if (!grown)
        return 0;
    reader->decoded = grown;
    reader->capacity = size;
    return 1;
}

static const char no_memory[] = "there is no memory for it";

static spin_status emit_line(struct reader *reader, const char *text, size_t size) {
    spin_string line = {text, size};
    if (utf8_valid(text, size) < size) {
        if (!reserve(reader, size * UTF8_REPAIRED_GROWTH))
            return emit_damaged(reader, size, no_memory);
        line.data = (char *)reader->decoded;
        line.size = utf8_repair(text, size, (char *)reader->decoded);
    }
    return spin_wait_line(reader->job->base.call, line, 0);
}

static spin_status emit_decoded(struct reader *reader, spin_bytes bytes) {
    if (bytes.size == 0) // Several ends may follow one another.
        return SPIN_OK;
    if (!reserve(reader, bytes.size))
        return emit_damaged(reader, bytes.size, no_memory);
    spin_bytes content = {reader->decoded, 0};
    const char *why = (reader->job->framing.kind == FRAMING_SLIP ? codec_slip : codec_cobs)(
        bytes.data, bytes.size, reader->decoded, &content.size);
    return why ? emit_damaged(reader, bytes.size, why) : spin_wait_frame(reader->job->base.call, content, 0);
}

spin_status emit_frame(spin_self *self, size_t size) {
    struct reader *reader = &self->reader;
    const char *bytes = reader->received.data + reader->received.start;
    enum framing_kind kind = reader->job->framing.kind;
    if (kind == FRAMING_LINES && size > 0 && bytes[size - 1] == '\r')
        size--;
    if (reader->dropped > 0 || size > (size_t)self->config->longest) {
        char reason[64];
        snprintf(reason, sizeof reason, "it is longer than %lld bytes (setting `longest`)",
                 (long long)self->config->longest);
        return emit_damaged(reader, size, reason);
    }
    if (kind == FRAMING_LINES)
        return emit_line(reader, bytes, size);
    spin_bytes content = {(const uint8_t *)bytes, size};
    return kind == FRAMING_SLIP || kind == FRAMING_COBS ? emit_decoded(reader, content)
                                                        : spin_wait_frame(reader->job->base.call, content, 0);
}
