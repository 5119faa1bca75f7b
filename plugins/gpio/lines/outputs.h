// The outputs of an instance. It holds each of them from its start to its end.
#ifndef GPIO_OUTPUTS_H
#define GPIO_OUTPUTS_H

#include "../kernel/kernel.h"
#include "source.h"

struct output {
    struct source source; /* the first part */
    struct output *next;
    char name[GPIO_MAX_NAME_SIZE]; /* as the settings name it */
    struct line_set set;           /* how the line is set; when it is not held, only its number counts */
    bool level;                    /* what it was set to last, or will be at first */
    /* Whether it takes the level that the line has, instead: another version may have set it after this one. */
    bool follows;
    char reason[most_reason]; /* why it is not held, although the chip is open */
};

/* Makes the outputs of settings, which are not held. 0 without memory. */
bool outputs_make(spin_self *self, const spin_config *config, struct output **made);

/* Puts these in place of the outputs of the instance. Those that both have stay as they are, and held. */
void outputs_replace(spin_self *self, struct output *made);

/* Frees outputs, which are held no longer. */
void outputs_free(spin_self *self, struct output *outputs);

/* Finds the lines of outputs, or says why not. */
bool outputs_find(spin_self *self, struct output *outputs, char reason[most_reason]);

/* Takes the outputs that are not held. What is missing is due later. REFUSED: `chip.reason` says which output the chip
 * cannot have. */
enum result outputs_take(spin_self *self);

/* How an output is to be set. */
struct line_set outputs_set(const spin_self *self, uint32_t offset);

/* The output of a line, by its name in the settings or its number; NULL. */
struct output *outputs_named(const spin_self *self, spin_string name);
struct output *outputs_at(const spin_self *self, uint32_t offset);

/* Sets an output; 0 or a negative error number. */
int outputs_write(struct output *output, bool level);

/* Asks the kernel for the levels, as these are the ones to keep. An output that is driven one way only may have the
 * level of another device. */
void outputs_look(spin_self *self);

/* The chip has gone. */
void outputs_lose(spin_self *self);

#endif
