#include "log.h"
#include "host.h"
#include <pthread.h>
#include <string.h>

enum { most_texts = 64, longest_text = 256 };

static struct {
    char text[longest_text];
    int count;
} lines[most_texts];

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* The place of a text, or the first free one; `most_texts` if all are taken. */
static size_t place_of(const char *text, size_t size) {
    size_t place = 0;
    while (place < most_texts && lines[place].count > 0 &&
           (strlen(lines[place].text) != size || memcmp(lines[place].text, text, size) != 0))
        place++;
    return place;
}

static spin_status write_line(const spin_host *host, spin_call *call, int32_t level, const char *text,
                              size_t size, const spin_field *fields, size_t count) {
    (void)host, (void)call, (void)level, (void)fields, (void)count;
    check("the test knows lines of this size", size < longest_text);
    pthread_mutex_lock(&turn);
    size_t place = place_of(text, size);
    check("there is room for one more text", place < most_texts);
    memcpy(lines[place].text, text, size);
    lines[place].count++;
    pthread_mutex_unlock(&turn);
    return SPIN_OK;
}

const void *log_service(void) {
    static const spin_log_service service = {sizeof service, 0, write_line};
    return &service;
}

int host_logged(const char *text) {
    pthread_mutex_lock(&turn);
    size_t place = place_of(text, strlen(text));
    int count = place < most_texts ? lines[place].count : 0;
    pthread_mutex_unlock(&turn);
    return count;
}
