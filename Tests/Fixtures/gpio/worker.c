// Instances of a worker: the next version is another process, which opens the lines itself.
#include "world.h"

// A driver that keeps the level of a released line, and one that does not.
static void test_levels(bool resets) {
    chip_plug(0, "board");
    chip_set_resets(0, resets);
    reset_config();
    config.outputs = TEXTS("c");
    spin_self *self = make();
    set(self, "c", true);
    expect("it is driven", chip_driven(), "2=0\n2=1\n");
    stop(self);
    check("the next process can have it", !chip_is_held(0, 2));
    spin_self *next = take_over(self);
    start(next);
    expect("the level is the same", chip_driven(), "2=1\n");
    set(next, "c", false);
    expect("it is driven", chip_driven(), "2=0\n");
    // The host takes the old one back, which does not know what the next one has set.
    stop(next);
    start(self);
    expect("it keeps what it finds", chip_driven(), "2=0\n");
    expect("it knows the level", get(self, "c"), "c=0\n");
    destroy(next);
    end(self);
    chip_unplug(0);
}

// Another device pulls an open-drain output low: the next process does not.
static void test_shared(void) {
    spin_self *self = make_pulled_low();
    stop(self);
    spin_self *next = take_over(self);
    start(next);
    expect("the level is that of the app", chip_driven(), "2=1\n");
    destroy(self);
    end(next);
    chip_unplug(0);
}

void test_worker(void) {
    test_shared();
    test_levels(false);
    test_levels(true);
}
