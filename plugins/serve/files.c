#include "files.h"
#include "response.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { longest_path = 4096 };

// Opens what a path names below a folder, one part after the other. It follows no symbolic link, and opens nothing
// whose name begins with a dot: not `..`, and no hidden file. -1 if it is no file.
static int open_below(int folder, const char *path) {
    char part[256];
    for (int place = folder, next = -1;; place = next) {
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        int is_last = size == 0 || path[size] == 0, error = ENOENT;
        next = -1;
        if (size < sizeof part && *path != '.') {
            memcpy(part, path, size);
            part[size] = 0;
            // A pipe would block without O_NONBLOCK.
            next = openat(place, size == 0 ? "index.html" : part,
                          O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (is_last ? 0 : O_DIRECTORY));
            error = errno;
        }
        if (place != folder)
            close(place);
        errno = error;
        if (is_last || next < 0)
            return next;
        path += size;
    }
}

static const char *type_of(const char *path) {
    static const struct {
        const char *ending, *type;
    } types[] = {{"html", "text/html; charset=utf-8"},
                 {"css", "text/css; charset=utf-8"},
                 {"js", "text/javascript; charset=utf-8"},
                 {"json", "application/json"},
                 {"txt", "text/plain; charset=utf-8"},
                 {"md", "text/markdown; charset=utf-8"},
                 {"csv", "text/csv; charset=utf-8"},
                 {"xml", "application/xml"},
                 {"svg", "image/svg+xml"},
                 {"png", "image/png"},
                 {"jpg", "image/jpeg"},
                 {"jpeg", "image/jpeg"},
                 {"gif", "image/gif"},
                 {"webp", "image/webp"},
                 {"ico", "image/x-icon"},
                 {"woff2", "font/woff2"},
                 {"wasm", "application/wasm"},
                 {"pdf", "application/pdf"},
                 {"mp3", "audio/mpeg"},
                 {"mp4", "video/mp4"}};
    size_t size = strlen(path);
    if (size == 0 || path[size - 1] == '/')
        return types[0].type;
    const char *name = strrchr(path, '/'), *dot = strrchr(path, '.');
    for (size_t i = 0; dot && (!name || dot > name) && i < sizeof types / sizeof *types; i++)
        if (strcasecmp(dot + 1, types[i].ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}

static void print_time(time_t time, char *text, size_t size) {
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm parts;
    gmtime_r(&time, &parts);
    // The names are English in every locale.
    snprintf(text, size, "%.3s, %02d %.3s %d %02d:%02d:%02d GMT", days + parts.tm_wday * 3, parts.tm_mday,
             months + parts.tm_mon * 3, parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

static struct MHD_Response *make(const struct exchange *exchange, int file, const struct stat *status,
                                 unsigned *code) {
    char time[64];
    print_time(status->st_mtime, time, sizeof time);
    const char *known =
        MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_MODIFIED_SINCE);
    int is_known = known && strcmp(known, time) == 0;
    *code = is_known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
    struct MHD_Response *response;
    if (is_known) {
        close(file);
        response = response_not_modified();
    } else {
        // It closes the file with the response.
        response = MHD_create_response_from_fd64((uint64_t)status->st_size, file);
        if (!response)
            close(file);
    }
    if (!response)
        return NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_LAST_MODIFIED, time);
    if (!is_known)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type_of(exchange->path));
    // A browser must not take a file of users for a page.
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    return response;
}

int files_answer(struct exchange *exchange, enum MHD_Result *result) {
    if ((strcmp(exchange->method, "GET") != 0 && strcmp(exchange->method, "HEAD") != 0) ||
        *exchange->path != '/' || strlen(exchange->path) >= longest_path)
        return 0;
    int file = open_below(exchange->self->folder, exchange->path);
    struct stat status;
    if (file < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO)) {
        *result = response_refuse(exchange->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is busy\n");
        return 1;
    }
    if (file < 0)
        return 0;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return 0;
    }
    unsigned code;
    struct MHD_Response *response = make(exchange, file, &status, &code);
    *result = response ? MHD_queue_response(exchange->connection, code, response) : MHD_NO;
    if (response)
        MHD_destroy_response(response);
    return 1;
}
