// The `std` plugin against a fake host: what it does, whole, for each way a call can go.
#include "fake_host.h"
#include "std_test.h"
#include <stdio.h>
#include <string.h>

static int failures;

void expect(const char *name, const char *transcript) { failures += !fake_expect(name, transcript); }

void check(const char *name, int holds) {
    if (!holds)
        fprintf(stderr, "%s\n", name);
    failures += !holds;
}

static const spin_effect *effect(const char *name) {
    return fake_find(spin_std_entry(), SPIN_KIND_EFFECT, name);
}

static void every(spin_call *call, spin_duration interval) {
    ((void (*)(spin_call *, spin_duration))effect("every")->function)(call, interval);
}

static spin_status print(const char *text) {
    spin_string passed = {text, strlen(text)};
    return ((spin_status(*)(spin_string))effect("print")->function)(passed);
}

static void after(spin_call *call, spin_duration delay) {
    ((void (*)(spin_call *, spin_duration))effect("after")->function)(call, delay);
}

static void render(const spin_emitter *emitter, const void *payload) {
    struct {
        int64_t count;
    } ticked;
    if (strcmp(emitter->name, "elapsed") == 0) {
        check("`elapsed` has no fields", emitter->payload_size == 0 && !payload);
        fake_note("elapsed");
        return;
    }
    check("timers emit `ticked` and `elapsed` alone",
          strcmp(emitter->name, "ticked") == 0 && emitter->payload_size == sizeof ticked);
    memcpy(&ticked, payload, sizeof ticked);
    fake_note("%s %lld", emitter->name, (long long)ticked.count);
}

// The descriptions of one kind in the table, in any order: `names` has a space before and after each name.
static void check_names(int kind, int count, const char *names) {
    const struct spin_entry *entry = spin_std_entry();
    for (const spin_description *const *next = entry->descriptions; next < entry->descriptions_end; next++) {
        char name[64];
        if ((*next)->kind != kind)
            continue;
        snprintf(name, sizeof name, " %s ", fake_name(*next));
        check(name, strstr(names, name) != NULL);
        count--;
    }
    check(names, count == 0);
}

static void test_tables(void) {
    const struct spin_entry *entry = spin_std_entry();
    check("table", entry->size == sizeof *entry && entry->abi_major == 2 && entry->abi_minor == 0);
    check("id", strcmp(entry->id, "std") == 0);
    check_names(SPIN_KIND_EFFECT, 8, " after every exec exec_input follow lines print signal ");
    check_names(SPIN_KIND_EMITTER, 8, " elapsed ended error_output exited line output signalled ticked ");
    check("prototype",
          strcmp(effect("every")->prototype, "void every(spin_call *call, spin_duration interval)") == 0);
    check("failure", strcmp(effect("print")->fails_if, "result < 0") == 0);
}

static void test_before_the_host_is_known(void) {
    every(fake_call(), 10);
    check("print answers that there is no host", print("nobody hears it") == SPIN_NO_HOST);
    expect("nothing happens before the host is known", "");
}

static void test_every(void) {
    spin_call *call = fake_call();
    every(call, 10);
    expect("every is silent at first", "");
    fake_advance(9);
    expect("every is silent before one interval", "");
    fake_advance(1);
    fake_advance(10);
    expect("every ticks after each interval", "10 ticked 1\n20 ticked 2\n");
    fake_advance(7);
    fake_advance(7);
    expect("every does not drift when the host is late", "34 ticked 3\n");
    fake_advance(6);
    expect("every keeps to its times after the host was late", "40 ticked 4\n");
    fake_advance(35);
    expect("every tells of times that were missed", "75 ticked 7\n");
    fake_emit_status = SPIN_FULL;
    fake_advance(5);
    fake_emit_status = SPIN_OK;
    fake_advance(10);
    expect("every goes on after a full mailbox, with a gap", "90 ticked 9\n");
    fake_cancel(call);
    fake_advance(100);
    expect("every frees what it holds when cancelled, and is silent", "90 release\n");
}

static void test_every_cancelled_in_a_tick(void) {
    spin_call *call = fake_call();
    every(call, 10);
    fake_cancel_in_emit = call;
    fake_advance(10);
    fake_cancel_in_emit = NULL;
    fake_advance(10);
    expect("a cancel in the middle of a tick frees after the tick", "200 late ticked\n200 release\n");
}

static void test_two_at_once(void) {
    spin_call *fast = fake_call(), *slow = fake_call();
    every(fast, 10);
    every(slow, 25);
    fake_advance(10);
    fake_cancel(fast);
    fake_advance(15);
    fake_cancel(slow);
    expect("two calls of every do not know each other",
           "220 ticked 1\n220 release\n235 ticked 1\n235 release\n");
}

static void test_every_refused(void) {
    every(fake_call(), 0);
    every(fake_call(), -1);
    expect("an interval that is not positive fails the call",
           "235 fail -5 the interval of `every` must be longer than zero\n"
           "235 fail -5 the interval of `every` must be longer than zero\n");
    fake_timer_status = SPIN_NO_MEMORY;
    every(fake_call(), 10);
    fake_timer_status = SPIN_OK;
    expect("a timer that does not start fails the call", "235 fail -7 the host did not start a timer\n");
    spin_call *call = fake_call();
    fake_cancel(call);
    every(call, 10);
    fake_advance(10);
    expect("a call that is cancelled already starts nothing", "");
}

static void test_after(void) {
    spin_call *call = fake_call();
    after(call, 5);
    fake_advance(4);
    expect("after is silent before its time", "");
    fake_advance(1);
    fake_advance(100);
    expect("after emits once and finishes", "250 elapsed\n250 finish\n250 release\n");
    call = fake_call();
    after(call, 0);
    fake_emit_status = SPIN_FULL;
    fake_advance(0);
    fake_emit_status = SPIN_OK;
    expect("after does not finish when there is no room", "350 release\n");
    fake_make_room();
    fake_serve();
    expect("after tries again when there is room", "350 elapsed\n350 finish\n");
    fake_advance(1000000);
    call = fake_call();
    after(call, 10);
    fake_cancel(call);
    fake_advance(100);
    expect("after is silent when cancelled", "1000350 release\n");
    after(fake_call(), -1);
    expect("a delay cannot be negative", "1000450 fail -5 the delay of `after` must not be negative\n");
}

static void test_print(void) {
    check("print answers 0",
          print("one line") == SPIN_OK && print("") == SPIN_OK && print("zwölf") == SPIN_OK);
    expect("print writes lines", "1000450 print one line\n1000450 print \n1000450 print zwölf\n");
    fake_print_status = SPIN_FAILED;
    check("print tells that the output is gone", print("lost") == SPIN_FAILED);
    fake_print_status = SPIN_OK;
}

// First, as the plugin keeps a service that it has found.
static void test_without_services(void) {
    fake_has_services = 0;
    every(fake_call(), 10);
    expect("a host without timers fails the call", "0 fail -6 the host did not start a timer\n");
    check("print tells that there is no output", print("lost") == SPIN_UNSUPPORTED);
    expect("nothing is written then", "");
    fake_has_services = 1;
}

int main(void) {
    test_tables();
    test_before_the_host_is_known();
    *spin_std_entry()->host = &fake_host;
    test_without_services();
    test_effects();
    fake_render = render;
    test_every();
    test_every_cancelled_in_a_tick();
    test_two_at_once();
    test_every_refused();
    test_after();
    test_print();
    check("no timer is left", fake_timers() == 0);
    return failures != 0;
}
