#include "parser.h"
#include <string.h>
#include <strings.h>

/* The most bytes of a line. One that describes a cluster of many servers is the longest. */
enum { longest_line = 1 << 18 };

/* No server sends larger messages. */
enum { largest_of_all = 1 << 28 };

enum { most_words = 5 };

static const char *begin_of(const struct parser *parser) {
    return parser->received.data + parser->received.start;
}

static void forget(struct parser *parser, size_t size) {
    parser->received.start += size;
    parser->received.searched = parser->received.start;
}

// The words of a line; how many there are, or one more than the most.
static size_t split(spin_string line, spin_string words[most_words]) {
    size_t count = 0;
    for (size_t i = 0; i < line.size;) {
        size_t begin = i;
        while (i < line.size && line.data[i] != ' ' && line.data[i] != '\t')
            i++;
        if (i > begin && count == most_words)
            return most_words + 1;
        if (i > begin)
            words[count++] = (spin_string){line.data + begin, i - begin};
        i += i < line.size;
    }
    return count;
}

// A number of at most 19 digits; 0 if the word is not one.
static int read_number(spin_string word, uint64_t *number) {
    *number = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return 0;
        *number = *number * 10 + (uint64_t)(word.data[i] - '0');
    }
    return word.size > 0 && word.size <= 19;
}

// Reads `SUBJECT TICKET [REPLY] [HEADERS] BYTES`.
static int read_sizes(struct parser *parser, const char *begin, spin_string line, int has_headers) {
    spin_string words[most_words];
    size_t count = split(line, words), least = has_headers ? 4 : 3;
    uint64_t ticket, header = 0, size;
    if (count < least || count > least + 1 || !read_number(words[1], &ticket) ||
        !read_number(words[count - 1], &size) || (has_headers && !read_number(words[count - 2], &header)) ||
        header > size || size > largest_of_all)
        return 0;
    spin_string reply = count > least ? words[2] : (spin_string){begin, 0};
    parser->subject = (size_t)(words[0].data - begin);
    parser->subject_size = words[0].size;
    parser->ticket_end = (size_t)(words[1].data + words[1].size - begin);
    parser->reply = (size_t)(reply.data - begin);
    parser->reply_size = reply.size;
    parser->header_size = (size_t)header;
    parser->message_size = (size_t)size;
    return 1;
}

static uint64_t ticket_of(const struct parser *parser, const char *begin) {
    uint64_t ticket;
    const char *end = begin + parser->ticket_end, *word = end;
    while (word > begin && word[-1] >= '0' && word[-1] <= '9')
        word--;
    read_number((spin_string){word, (size_t)(end - word)}, &ticket);
    return ticket;
}

// Whether the text begins with a word, in whichever case; what follows.
static int begins(spin_string line, const char *word, spin_string *rest) {
    size_t size = strlen(word);
    if (line.size < size || strncasecmp(line.data, word, size) != 0 ||
        (line.size > size && line.data[size] != ' ' && line.data[size] != '\t'))
        return 0;
    for (; size < line.size && (line.data[size] == ' ' || line.data[size] == '\t'); size++)
        ;
    *rest = (spin_string){line.data + size, line.size - size};
    return 1;
}

static spin_string without_quotes(spin_string text) {
    int is_quoted = text.size >= 2 && *text.data == '\'' && text.data[text.size - 1] == '\'';
    return is_quoted ? (spin_string){text.data + 1, text.size - 2} : text;
}

// The message whose line has come, when its other bytes have come too.
static enum frame_kind find_message(struct parser *parser, size_t largest, struct frame *frame) {
    const char *begin = begin_of(parser), *header = begin + parser->line_size;
    size_t size = parser->message_size, header_size = parser->header_size;
    frame->ticket = ticket_of(parser, begin);
    frame->message = (struct message){.subject = {begin + parser->subject, parser->subject_size},
                                      .reply = {begin + parser->reply, parser->reply_size}};
    if (size > largest) {
        parser->skipped = size + 2;
        parser->taken = parser->line_size;
        return FRAME_TOO_LARGE;
    }
    if (pieces_size(&parser->received) < parser->line_size + size + 2)
        return FRAME_NONE;
    if (header[size] != '\r' || header[size + 1] != '\n')
        return FRAME_IS_DAMAGED;
    frame->message.header = (spin_string){header, header_size};
    frame->message.data = (spin_bytes){(const uint8_t *)header + header_size, size - header_size};
    parser->taken = parser->line_size + size + 2;
    return FRAME_MESSAGE;
}

static enum frame_kind find_in_line(struct parser *parser, spin_string line, size_t largest,
                                    struct frame *frame) {
    spin_string rest;
    int has_headers = begins(line, "HMSG", &rest);
    parser->taken = parser->line_size;
    if (has_headers || begins(line, "MSG", &rest))
        return read_sizes(parser, line.data, rest, has_headers) ? find_message(parser, largest, frame)
                                                                : FRAME_IS_DAMAGED;
    if (begins(line, "INFO", &frame->text))
        return FRAME_INFO;
    if (begins(line, "PING", &rest))
        return FRAME_PING;
    if (begins(line, "PONG", &rest))
        return FRAME_PONG;
    if (begins(line, "+OK", &rest))
        return FRAME_OK;
    if (!begins(line, "-ERR", &rest))
        return FRAME_IS_DAMAGED;
    frame->text = without_quotes(rest);
    return FRAME_ERROR;
}

static void skip(struct parser *parser) {
    size_t here = pieces_size(&parser->received);
    size_t size = parser->skipped < here ? parser->skipped : here;
    forget(parser, size);
    parser->skipped -= size;
}

enum frame_kind parser_next(struct parser *parser, size_t largest, struct frame *frame) {
    struct pieces *received = &parser->received;
    skip(parser);
    if (pieces_size(received) == 0)
        return FRAME_NONE;
    if (parser->line_size > 0)
        return find_message(parser, largest, frame);
    const char *from = received->data + received->searched;
    const char *end = memchr(from, '\n', received->end - received->searched);
    if (!end) {
        received->searched = received->end;
        return pieces_size(received) > longest_line ? FRAME_IS_DAMAGED : FRAME_NONE;
    }
    size_t size = (size_t)(end - begin_of(parser));
    parser->line_size = size + 1;
    if (size > 0 && end[-1] == '\r')
        size--;
    return find_in_line(parser, (spin_string){begin_of(parser), size}, largest, frame);
}

void parser_take(struct parser *parser) {
    forget(parser, parser->taken);
    parser->line_size = parser->taken = 0;
}

void parser_clear(struct parser *parser) {
    pieces_free(&parser->received);
    *parser = (struct parser){0};
}
