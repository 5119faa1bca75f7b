#include "row_place.h"
#include <unistd.h>

int row_place_is_set(struct row_place place) { return place.offset > 0 || place.has_ended; }

void row_place_begin(struct row_place *place, const struct stat *status) {
    place->device = (uint64_t)status->st_dev;
    place->inode = (uint64_t)status->st_ino;
    place->size = (uint64_t)status->st_size;
    place->seconds = (uint64_t)status->st_mtim.tv_sec;
    place->nanoseconds = (uint64_t)status->st_mtim.tv_nsec;
}

uint64_t row_hash(uint64_t hash, const char *bytes, size_t size) {
    // FNV-1a, with its offset for a hash of 0.
    hash ^= 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    return hash ^ 14695981039346656037u;
}

static int has_same_bytes(const struct row_place *place, int file) {
    char bytes[1 << 12];
    uint64_t hash = 0;
    for (uint64_t done = 0; done < place->last_size;) {
        uint64_t left = place->last_size - done;
        off_t offset = (off_t)(place->offset - left);
        ssize_t count = pread(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, offset);
        if (count <= 0)
            return 0;
        hash = row_hash(hash, bytes, (size_t)count);
        done += (uint64_t)count;
    }
    return hash == place->hash;
}

// Whether the last row is still whole. A row at the end of the file needs no line end, and may have grown since.
static int is_behind_row(const struct row_place *place, int file) {
    char bytes[2];
    ssize_t count = pread(file, bytes, sizeof bytes, (off_t)place->offset - 1);
    return count == 1 || (count == 2 && (bytes[0] == '\n' || bytes[1] == '\n'));
}

int row_place_is_in(const struct row_place *place, int file, const struct row_place *now) {
    int is_same =
        now->size == place->size && now->seconds == place->seconds && now->nanoseconds == place->nanoseconds;
    return now->device == place->device && now->inode == place->inode &&
           (is_same || now->size > place->size) && now->size >= place->offset &&
           has_same_bytes(place, file) && is_behind_row(place, file);
}
