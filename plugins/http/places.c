#include "places.h"
#include "../std/utf8.h"
#include <stdlib.h>
#include <string.h>

static void remove_at(struct places *places, size_t index) {
    free(places->all[index].id);
    places->count--;
    memmove(places->all + index, places->all + index + 1, (places->count - index) * sizeof *places->all);
}

static size_t find(const struct places *places, const char *key) {
    size_t index = 0;
    while (index < places->count && strcmp(places->all[index].key, key) != 0)
        index++;
    return index;
}

void places_keep(struct places *places, const char *key, spin_string id) {
    char *copy = strndup(id.data, id.size);
    if (!copy)
        return;
    pthread_mutex_lock(&places->turn);
    size_t index = find(places, key);
    if (index < places->count)
        remove_at(places, index);
    else if (places->count == MOST_PLACES)
        remove_at(places, 0);
    struct place *place = &places->all[places->count++];
    strcpy(place->key, key);
    place->id = copy;
    pthread_mutex_unlock(&places->turn);
}

char *places_take(struct places *places, const char *key) {
    char *id = NULL;
    pthread_mutex_lock(&places->turn);
    size_t index = find(places, key);
    if (index < places->count) {
        id = places->all[index].id;
        places->all[index].id = NULL;
        remove_at(places, index);
    }
    pthread_mutex_unlock(&places->turn);
    return id;
}

spin_status places_save(struct places *places, spin_saving *saving) {
    spin_status status = SPIN_OK;
    for (size_t i = 0; i < places->count && status == SPIN_OK; i++) {
        const struct place *place = &places->all[i];
        status = spin_write(saving, place->key, strlen(place->key) + 1);
        if (status == SPIN_OK)
            status = spin_write(saving, place->id, strlen(place->id) + 1);
    }
    return status;
}

// The size of the text at the start of the bytes, without its NUL; `size` if it does not end there.
static size_t text_size(const uint8_t *data, size_t size) {
    const uint8_t *end = memchr(data, 0, size);
    return end ? (size_t)(end - data) : size;
}

static int is_key(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return 0;
    return size > 0 && size < SPIN_RUN_KEY_SIZE;
}

static int is_id(const char *text, size_t size) {
    return size > 0 && size <= LONGEST_ID && utf8_valid(text, size) == size && !memchr(text, '\n', size) &&
           !memchr(text, '\r', size);
}

int places_restore(struct places *places, const uint8_t *data, size_t size) {
    // The first pass checks, the second one takes over.
    for (int takes_over = 0; takes_over < 2; takes_over++) {
        size_t place = 0, count = 0;
        while (place < size) {
            const char *key = (const char *)data + place;
            size_t key_size = text_size(data + place, size - place);
            place += key_size + 1;
            if (place >= size)
                return 0;
            const char *id = (const char *)data + place;
            size_t id_size = text_size(data + place, size - place);
            place += id_size + 1;
            if (takes_over)
                places_keep(places, key, (spin_string){id, id_size});
            else if (place > size || ++count > MOST_PLACES || !is_key(key, key_size) || !is_id(id, id_size))
                return 0;
        }
    }
    return 1;
}

void places_free(struct places *places) {
    while (places->count > 0)
        remove_at(places, places->count - 1);
}
