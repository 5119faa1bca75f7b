/* What the chips of the test are. Under `chips_turn`, all of it. */
#ifndef GPIO_TEST_KERNEL_STATE_H
#define GPIO_TEST_KERNEL_STATE_H

#include "chips.h"
#include <linux/gpio.h>
#include <pthread.h>
#include <sys/types.h>

/* A descriptor that the plugin has of a chip, and the test's end of it. The plugin's end may have copies, so its inode
 * is what names it. */
struct opened {
    bool is_used;
    int chip, peer;
    ino_t inode;
};

/* Such a descriptor of lines. */
struct request {
    struct opened opened;
    uint32_t count, offsets[GPIO_V2_LINES_MAX], debounce[GPIO_V2_LINES_MAX];
    uint64_t flags[GPIO_V2_LINES_MAX];
    char consumer[GPIO_MAX_NAME_SIZE];
    uint32_t sequence, line_sequence[GPIO_V2_LINES_MAX];
};

struct chip {
    bool is_plugged, resets;
    char label[GPIO_MAX_NAME_SIZE];
    int open_error, refusal[line_count], value[line_count];
    bool is_output[line_count];
    char occupant[line_count][GPIO_MAX_NAME_SIZE];
};

enum { most_chips = 4, most_opened = 128 };

extern pthread_mutex_t chips_turn;
extern struct chip chips[most_chips];
extern struct opened opened_chips[most_opened];
extern struct request requests[most_opened];

/* Makes a descriptor of a chip; -1 with an error number. */
int opened_make(struct opened *opened, int chip);

/* Forgets what the plugin has closed. */
void opened_sweep(void);

/* The request that has a line; NULL without one. Its index among the lines of the request. */
struct request *request_of(int chip, uint32_t offset, uint32_t *index);

/* A line is driven. */
void note_driven(int chip, uint32_t offset, int value);

/* Answers for lines that are requested, as the kernel does; 0 or an error number. */
int request_make(int chip, struct gpio_v2_line_request *asked);
int request_answer(struct request *request, unsigned long asked, void *argument);

#endif
