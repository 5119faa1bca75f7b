#include "chips.h"
#include "../plugin-host/host.h"
#include "kernel_state.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

pthread_mutex_t chips_turn = PTHREAD_MUTEX_INITIALIZER;
struct chip chips[most_chips];
struct opened opened_chips[most_opened];
struct request requests[most_opened];

static char driven[1024], shown[1024];

int opened_make(struct opened *opened, int chip) {
    int ends[2];
    struct stat status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || fstat(ends[0], &status) != 0)
        return -1;
    *opened = (struct opened){true, chip, ends[1], status.st_ino};
    return ends[0];
}

// Whether the plugin has closed all of its copies.
static bool has_gone(const struct opened *opened) {
    struct pollfd asked = {.fd = opened->peer};
    return poll(&asked, 1, 0) == 1 && asked.revents & POLLHUP;
}

static void forget(struct opened *opened) {
    close(opened->peer);
    opened->is_used = false;
}

static void reset_lines(const struct request *request) {
    struct chip *chip = &chips[request->opened.chip];
    for (uint32_t i = 0; chip->resets && i < request->count; i++)
        if (chip->is_output[request->offsets[i]]) {
            chip->is_output[request->offsets[i]] = false;
            chip->value[request->offsets[i]] = 0;
        }
}

void opened_sweep(void) {
    for (int i = 0; i < most_opened; i++) {
        if (opened_chips[i].is_used && has_gone(&opened_chips[i]))
            forget(&opened_chips[i]);
        if (requests[i].opened.is_used && has_gone(&requests[i].opened)) {
            reset_lines(&requests[i]);
            forget(&requests[i].opened);
        }
    }
}

struct request *request_of(int chip, uint32_t offset, uint32_t *index) {
    opened_sweep();
    for (struct request *request = requests; request < requests + most_opened; request++)
        for (uint32_t i = 0; request->opened.is_used && request->opened.chip == chip && i < request->count;
             i++)
            if (request->offsets[i] == offset) {
                *index = i;
                return request;
            }
    return NULL;
}

static char *path_of(int number) {
    static char path[32];
    snprintf(path, sizeof path, "dev/gpiochip%d", number);
    return path;
}

void chip_plug(int number, const char *label) {
    pthread_mutex_lock(&chips_turn);
    chips[number] = (struct chip){.is_plugged = true};
    driven[0] = 0;
    snprintf(chips[number].label, sizeof chips[number].label, "%s", label);
    FILE *file = fopen(path_of(number), "we");
    check("the chip has a file", file && fclose(file) == 0);
    pthread_mutex_unlock(&chips_turn);
}

void chip_unplug(int number) {
    pthread_mutex_lock(&chips_turn);
    chips[number].is_plugged = false;
    check("the chip has a file", unlink(path_of(number)) == 0);
    for (int i = 0; i < most_opened; i++) {
        if (opened_chips[i].is_used && opened_chips[i].chip == number)
            forget(&opened_chips[i]);
        if (requests[i].opened.is_used && requests[i].opened.chip == number)
            forget(&requests[i].opened);
    }
    pthread_mutex_unlock(&chips_turn);
}

void note_driven(int chip, uint32_t offset, int value) {
    size_t size = strlen(driven);
    check("there is room for what is driven", size + 32 < sizeof driven);
    snprintf(driven + size, sizeof driven - size, "%u=%d\n", offset, value);
    chips[chip].is_output[offset] = true;
    chips[chip].value[offset] = value;
}

const char *chip_driven(void) {
    pthread_mutex_lock(&chips_turn);
    memcpy(shown, driven, sizeof shown);
    driven[0] = 0;
    pthread_mutex_unlock(&chips_turn);
    return shown;
}

#define UNDER_TURN(...)                                                                                      \
    pthread_mutex_lock(&chips_turn);                                                                         \
    __VA_ARGS__;                                                                                             \
    pthread_mutex_unlock(&chips_turn)

void chips_hold(void) { pthread_mutex_lock(&chips_turn); }

void chips_continue(void) { pthread_mutex_unlock(&chips_turn); }

void chip_deny(int number, int error) { UNDER_TURN(chips[number].open_error = error); }

void chip_refuse(int number, uint32_t line, int error) { UNDER_TURN(chips[number].refusal[line] = error); }

void chip_occupy(int number, uint32_t line, const char *program) {
    UNDER_TURN(snprintf(chips[number].occupant[line], GPIO_MAX_NAME_SIZE, "%s", program ? program : ""));
}

void chip_set_resets(int number, bool resets) { UNDER_TURN(chips[number].resets = resets); }

static void send_edge(struct request *request, uint32_t index, int value) {
    bool is_active = value ^ ((request->flags[index] & GPIO_V2_LINE_FLAG_ACTIVE_LOW) != 0);
    struct gpio_v2_line_event event = {.timestamp_ns = 1000 + request->sequence,
                                       .id = is_active ? GPIO_V2_LINE_EVENT_RISING_EDGE
                                                       : GPIO_V2_LINE_EVENT_FALLING_EDGE,
                                       .offset = request->offsets[index],
                                       .seqno = ++request->sequence,
                                       .line_seqno = ++request->line_sequence[index]};
    check("the edge is sent", write(request->opened.peer, &event, sizeof event) == sizeof event);
}

void chip_input(int number, uint32_t line, int value) {
    uint32_t index;
    pthread_mutex_lock(&chips_turn);
    bool changes = chips[number].value[line] != value;
    chips[number].value[line] = value;
    struct request *request = request_of(number, line, &index);
    if (changes && request && request->flags[index] & GPIO_V2_LINE_FLAG_EDGE_RISING)
        send_edge(request, index, value);
    pthread_mutex_unlock(&chips_turn);
}

void chip_skip(int number, uint32_t line, uint32_t count) {
    uint32_t index;
    pthread_mutex_lock(&chips_turn);
    struct request *request = request_of(number, line, &index);
    check("the line is held", request != NULL);
    request->sequence += count;
    pthread_mutex_unlock(&chips_turn);
}

int chip_output(int number, uint32_t line) {
    UNDER_TURN(opened_sweep(); int value = chips[number].is_output[line] ? chips[number].value[line] : -1);
    return value;
}

bool chip_is_held(int number, uint32_t line) {
    uint32_t index;
    UNDER_TURN(bool is_held = request_of(number, line, &index) != NULL);
    return is_held;
}

void chip_await_release(int number, uint32_t line) {
    uint32_t index;
    UNDER_TURN(struct request *request = request_of(number, line, &index);
               struct pollfd asked = {.fd = request ? dup(request->opened.peer) : -1});
    if (asked.fd < 0)
        return;
    while (poll(&asked, 1, -1) != 1)
        continue;
    close(asked.fd);
}

// A copy of the request that has a line.
static struct request held(int number, uint32_t line, uint32_t *index) {
    UNDER_TURN(struct request *found = request_of(number, line, index);
               check("the line is held", found != NULL); struct request request = *found);
    return request;
}

uint64_t chip_flags(int number, uint32_t line) {
    uint32_t index;
    struct request request = held(number, line, &index);
    return request.flags[index];
}

uint32_t chip_debounce(int number, uint32_t line) {
    uint32_t index;
    struct request request = held(number, line, &index);
    return request.debounce[index];
}

const char *chip_consumer(int number, uint32_t line) {
    static char consumer[GPIO_MAX_NAME_SIZE];
    uint32_t index;
    struct request request = held(number, line, &index);
    memcpy(consumer, request.consumer, sizeof consumer);
    return consumer;
}
