// A payment provider, as a plugin: it takes a payment once, however often it is asked. Its books are a file, with a
// line for each payment. In a real app they are a server that takes an idempotency key.
#include <fcntl.h>
#include <inttypes.h>
#include <spinhost/plugin.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

SPIN_PLUGIN("provider", "1.0.0");

enum { LINE = SPIN_RUN_KEY_SIZE + 64 };

static bool is_paid(const char *path, spin_string key) {
    FILE *books = fopen(path, "re");
    if (!books)
        return false;
    char line[LINE];
    bool found = false;
    while (!found && fgets(line, sizeof line, books))
        found = strncmp(line, key.data, key.size) == 0 && line[key.size] == ' ';
    fclose(books);
    return found;
}

// One write with O_APPEND adds a whole line, also when the process is killed meanwhile.
static int32_t pay(const char *path, spin_string key, int64_t order, int64_t cents) {
    if (is_paid(path, key))
        return 1;
    char line[LINE];
    int size =
        snprintf(line, sizeof line, "%.*s %" PRId64 " %" PRId64 "\n", (int)key.size, key.data, order, cents);
    int books = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (books < 0)
        return -1;
    ssize_t written = write(books, line, (size_t)size);
    close(books);
    return written == size ? 0 : -1;
}
SPIN_EFFECT_CHECKED(int32_t, pay, (const char *path, spin_string key, int64_t order, int64_t cents),
                    "Pays once for each key: 0, or 1 if the key was paid before; less than 0 is a failure.",
                    "result < 0");
