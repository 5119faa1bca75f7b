// The plugin with the kernel itself: what the chips of the other tests answer must be what the kernel does.
#include "../gpio/world.h"
#include "../plugin-host/plugin.h"
#include "kernel/kernel.h"
#include "sim.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static spin_self *make_board(void) {
    sim_plug();
    reset_config();
    config.chip = TEXT("board");
    config.outputs = TEXTS("c", "d");
    config.initially_active = TEXTS("d");
    config.active_low = TEXTS("d", "b");
    return make();
}

static void check_levels(void) {
    spin_self *self = make_board();
    check("outputs begin as the settings say", sim_value(2) == 0 && sim_value(3) == 0);
    set(self, "c", true);
    set(self, "3", false);
    check("outputs are set", sim_value(2) == 1 && sim_value(3) == 1);
    expect("an output is read", get(self, "d"), "d=0\n");
    sim_pull(0, true);
    expect("an input is read", get(self, "a"), "a=1\n");
    expect("an input is active when it is low", get(self, "b"), "b=1\n");
    end(self);
    sim_unplug();
}

static void check_edges(void) {
    spin_self *self = make_board();
    spin_call *call = ask_edges(self, TEXTS("b", "a"), -1);
    host_await(call, "opened board\n");
    sim_pull(0, true);
    sim_pull(1, true);
    sim_pull(0, false);
    sim_pull(1, false);
    expect("edges come in order", host_await(call, "b rising\n"),
           "opened board\na rising\nb falling\na falling\nb rising\n");
    expect("a level is read beside", get(self, "a"), "a=0\n");
    host_cancel(call);
    end(self);
    sim_unplug();
}

// The kernel drops the oldest edges of a full queue, and its numbers say how many.
static void check_lost(void) {
    enum { all = 2000, queue = 1024 };
    spin_self *self = make_board();
    spin_call *call = ask_edges(self, TEXTS("a"), 1);
    host_await(call, "opened board\n");
    for (int i = 0; i < all; i++)
        sim_pull(0, i % 2 == 0);
    host_await_room(call);
    host_set_room(call, 40);
    host_await_room(call);
    const char *text = host_await(call, "ing\n"), *lost = strstr(text, "lost ");
    long long count = 0;
    check("it says how many", lost && sscanf(lost, "lost %lld", &count) == 1);
    long long before = 0;
    for (const char *place = text; (place = strstr(place, "a ")) && place < lost; place++)
        before++;
    check("it is the right number", count == all - queue - before);
    host_cancel(call);
    end(self);
    sim_unplug();
}

static void check_swap(void) {
    spin_self *self = make_board();
    set(self, "c", true);
    spin_call *call = ask_edges_again(self, TEXTS("a"), "run");
    host_await(call, "opened board\n");
    host_cancel(call);
    stop(self);
    check("the level stays", sim_value(2) == 1);
    sim_pull(0, true);
    spin_self *next = take_over(self);
    start(next);
    call = ask_edges_again(next, TEXTS("a"), "run");
    expect("no edge is lost", host_await(call, "a rising\n"), "a rising\n");
    set(next, "c", false);
    host_cancel(call);
    call = ask_edges(next, TEXTS("a", "b"), -1);
    host_await(call, "opened board\n");
    host_cancel(call);
    stop(next);
    start(self);
    expect("the old one has the levels of the next one", get(self, "c"), "c=0\n");
    check("the level stays", sim_value(2) == 0);
    destroy(next);
    end(self);
    sim_unplug();
}

static void check_changes(void) {
    spin_self *self = make_board();
    spin_call *call = ask_edges(self, TEXTS("a"), -1);
    host_await(call, "opened board\n");
    set(self, "c", true);
    struct spin_config before = config;
    config.outputs = TEXTS("c", "e");
    config.initially_active = TEXTS("e");
    config.active_low = TEXTS("c");
    config.debounce = 1000000;
    config.bias = TEXT("pull-up");
    reconfigure(self, &before);
    check("the voltage stays", sim_value(2) == 1);
    expect("the level is another one", get(self, "c"), "c=0\n");
    check("a new output begins as the settings say", sim_value(4) == 1);
    sim_pull(0, false);
    host_await(call, "a falling\n");
    host_cancel(call);
    end(self);
    sim_unplug();
}

static void check_busy(void) {
    spin_self *self = make_board();
    struct gpiochip_info info;
    char path[96];
    snprintf(path, sizeof path, "/dev/%s", sim_name());
    int chip = kernel_open(path, &info);
    const struct line_set set = {.offsets = {0}, .count = 1, .flags = GPIO_V2_LINE_FLAG_INPUT};
    int other = kernel_take(chip, &set, 0, "other");
    check("another program has a line", chip >= 0 && other >= 0);
    spin_call *call = ask_edges(self, TEXTS("b", "a"), -1);
    static const char closed[] =
        "closed the line `a` is in use by `other`: end that program, or share the plugin "
        "among loops by `instance = \"app\"`\n";
    expect("it says who has it", host_await(call, closed), closed);
    close(other);
    close(chip);
    pass_until(self, "a");
    host_await(call, "opened board\n");
    host_cancel(call);
    end(self);
    sim_unplug();
}

static void check_loss(void) {
    spin_self *self = make_board();
    set(self, "c", true);
    spin_call *call = ask_edges(self, TEXTS("a"), -1);
    host_await(call, "opened board\n");
    sim_unplug();
    const char *reason = host_ended(ask_set(self, "c", false));
    check("the chip has gone", strstr(reason, "has gone: it was disconnected") != NULL);
    host_await(call, "it was disconnected\n");
    sim_plug();
    pass_until(self, "7");
    host_await(call, "it was disconnected\nopened board\n");
    check("the output has its level", sim_value(2) == 1);
    sim_pull(0, true);
    host_await(call, "a rising\n");
    host_cancel(call);
    end(self);
    sim_unplug();
}

int main(void) {
    if (!sim_is_there()) {
        puts("skipped: this kernel has no gpio-sim, or this user may not use it");
        return 77;
    }
    plugin_load(&test_host);
    polls_begin();
    check_levels();
    check_edges();
    check_lost();
    check_swap();
    check_changes();
    check_busy();
    check_loss();
    polls_close();
    return 0;
}
