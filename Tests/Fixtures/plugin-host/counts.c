#include "counts.h"
#include "host.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int come, missing;

void note_number(const void *digits, size_t size) {
    char text[16] = "";
    check("it is a number", size < sizeof text);
    memcpy(text, digits, size);
    pthread_mutex_lock(&turn);
    check("numbers are in order, and each that is missing was reported", atoi(text) == ++come + missing);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

void note_missing(int64_t count) {
    pthread_mutex_lock(&turn);
    missing += (int)count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

int counted(void) {
    pthread_mutex_lock(&turn);
    int count = come;
    pthread_mutex_unlock(&turn);
    return count;
}

int await_count(int count) {
    pthread_mutex_lock(&turn);
    while (come + missing < count)
        pthread_cond_wait(&changed, &turn);
    check("there are no more", come + missing == count);
    int were_missing = missing;
    come = missing = 0;
    pthread_mutex_unlock(&turn);
    return were_missing;
}
