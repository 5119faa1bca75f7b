#include "reply.h"
#include "reply_memory.h"
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest line that is not a text with its size, the longest line of a size, and how many lists may nest. */
enum { longest_line = 65536, longest_size = 32, deepest = 7 };

static const char not_asked_for[] = "the server has sent a kind of value that was not asked for";

static struct reply *reply_of(const redisReadTask *task) { return task->privdata; }

static int32_t depth_of(const redisReadTask *task) {
    int32_t depth = 0;
    for (const redisReadTask *parent = task->parent; parent; parent = parent->parent)
        depth++;
    return depth;
}

// Adds a value, which counts with its bytes; NULL if the answer is too large, or without memory.
static redis_value *add(const redisReadTask *task, enum reply_kind kind, size_t size) {
    static const spin_string types[] = {[REPLY_TEXT] = {"text", 4},
                                        [REPLY_INTEGER] = {"integer", 7},
                                        [REPLY_NULL] = {"null", 4},
                                        [REPLY_LIST] = {"list", 4},
                                        [REPLY_ERROR] = {"error", 5}};
    struct reply *reply = reply_of(task);
    if (!reply_count(reply, size) || !reply_grow(reply))
        return NULL;
    redis_value *value = &reply->values[reply->count];
    reply->kinds[reply->count++] = (uint8_t)kind;
    *value = (redis_value){
        .type = types[kind], .text = {"", 0}, .bytes = {(const uint8_t *)"", 0}, .depth = depth_of(task)};
    return value;
}

// A text that is wholly an integer has its value, too.
static int64_t integer_of(const char *text, size_t size) {
    char digits[24];
    if (size == 0 || size >= sizeof digits || (*text != '-' && (*text < '0' || *text > '9')))
        return 0;
    memcpy(digits, text, size);
    digits[size] = 0;
    char *end, again[24];
    long long found = strtoll(digits, &end, 10);
    snprintf(again, sizeof again, "%lld", found);
    return strcmp(again, digits) == 0 ? found : 0;
}

static void *add_text(const redisReadTask *task, char *text, size_t size) {
    struct reply *reply = reply_of(task);
    int is_known = task->type == REDIS_REPLY_STRING || task->type == REDIS_REPLY_STATUS ||
                   task->type == REDIS_REPLY_ERROR;
    if (!is_known)
        return reply_refuse(reply, not_asked_for);
    redis_value *value = add(task, task->type == REDIS_REPLY_ERROR ? REPLY_ERROR : REPLY_TEXT, size);
    if (!value || !reply_keep(reply, text, size, value))
        return NULL;
    value->integer = integer_of(text, size);
    return reply;
}

static void *add_integer(const redisReadTask *task, long long integer) {
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%lld", integer);
    redis_value *value = add(task, REPLY_INTEGER, (size_t)size);
    if (!value || !reply_keep(reply_of(task), digits, (size_t)size, value))
        return NULL;
    value->integer = integer;
    return reply_of(task);
}

static void *add_null(const redisReadTask *task) { return add(task, REPLY_NULL, 0) ? reply_of(task) : NULL; }

#if HIREDIS_MAJOR >= 1
typedef size_t element_count;

// Without these functions, hiredis would make answers without a value.
static void *refuse_double(const redisReadTask *task, double number, char *text, size_t size) {
    (void)number, (void)text, (void)size;
    return reply_refuse(reply_of(task), not_asked_for);
}

static void *refuse_bool(const redisReadTask *task, int is_true) {
    (void)is_true;
    return reply_refuse(reply_of(task), not_asked_for);
}
#else
typedef int element_count;
#endif

static void *add_list(const redisReadTask *task, element_count elements) {
    if (task->type != REDIS_REPLY_ARRAY || (long long)elements < 0)
        return reply_refuse(reply_of(task), not_asked_for);
    // Later versions of hiredis than 0.14 have no limit.
    if (depth_of(task) >= deepest)
        return reply_refuse(reply_of(task), "the server has sent lists that nest too deep");
    redis_value *value = add(task, REPLY_LIST, 0);
    if (!value)
        return NULL;
    value->integer = (int64_t)elements;
    return reply_of(task);
}

// The values belong to the answer.
static void release(void *object) { (void)object; }

static redisReplyObjectFunctions functions = {
#if HIREDIS_MAJOR >= 1
    .createDouble = refuse_double,
    .createBool = refuse_bool,
#endif
    .createString = add_text,
    .createArray = add_list,
    .createInteger = add_integer,
    .createNil = add_null,
    .freeObject = release};

int reply_begin(struct reply *reply, int64_t largest) {
    reply->reader = redisReaderCreateWithFunctions(&functions);
    if (!reply->reader)
        return 0;
    reply->reader->privdata = reply;
    reply->largest = largest;
    reply->fault[0] = 0;
    reply->is_too_large = 0;
    reply_clear(reply);
    return 1;
}

void reply_end(struct reply *reply) {
    if (reply->reader)
        redisReaderFree(reply->reader);
    reply->reader = NULL;
}

static int fail(struct reply *reply) {
    if (!reply->fault[0])
        reply_refuse(reply, reply->reader->err == REDIS_ERR_OOM
                                ? "there is no memory for an answer"
                                : "the server has sent bytes that are not valid");
    return -1;
}

int reply_feed(struct reply *reply, const char *bytes, size_t size) {
    return redisReaderFeed(reply->reader, bytes, size) == REDIS_OK || fail(reply) == 0;
}

// Whether the value that is not whole yet is a text with its size.
static int is_sized(const redisReader *reader) {
#if HIREDIS_MAJOR >= 1
    return reader->ridx >= 0 && reader->task[reader->ridx]->type == REDIS_REPLY_STRING;
#else
    return reader->ridx >= 0 && reader->rstack[reader->ridx].type == REDIS_REPLY_STRING;
#endif
}

// hiredis looks for the end of a line from its start each time, and has no limit.
static int is_bounded(struct reply *reply) {
    const redisReader *reader = reply->reader;
    const char *rest = reader->buf + reader->pos;
    size_t size = reader->len - reader->pos;
    if (size == 0)
        return 1;
    if (is_sized(reader) ? size > longest_size && !memchr(rest, '\n', longest_size) : size > longest_line) {
        reply_refuse(reply, "the server has sent a line that is too long");
        return 0;
    }
    if ((int64_t)size > reply->largest - reply->size + longest_line) {
        reply_refuse_size(reply);
        return 0;
    }
    return 1;
}

int reply_next(struct reply *reply) {
    void *found = NULL;
    if (redisReaderGetReply(reply->reader, &found) != REDIS_OK)
        return fail(reply);
    if (found)
        return 1;
    return is_bounded(reply) ? 0 : -1;
}

int reply_is(const struct reply *reply, size_t place, const char *text) {
    return place < reply->count && reply->kinds[place] == REPLY_TEXT &&
           reply->values[place].bytes.size == strlen(text) &&
           memcmp(reply->values[place].bytes.data, text, strlen(text)) == 0;
}

size_t reply_behind(const struct reply *reply, size_t place) {
    int32_t depth = reply->values[place].depth;
    do
        place++;
    while (place < reply->count && reply->values[place].depth > depth);
    return place;
}
