// Settings, and chips and lines that cannot be had.
#include "../plugin-host/plugin.h"
#include "world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_fault(const char *fault) {
    expect("the settings are refused", reason_of_create(), fault);
    reset_config();
}

static void test_faults(void) {
    reset_config();
    config.chip = TEXT("");
    expect_fault("-5 setting `chip`: it is not a path, a name or a label");
    config.bias = TEXT("up");
    expect_fault("-5 setting `bias`: it is not `as-is`, `pull-up`, `pull-down` or `disabled`");
    config.drive = TEXT("pull");
    expect_fault("-5 setting `drive`: it is not `push-pull`, `open-drain` or `open-source`");
    config.consumer = TEXT("a name that has thirty-two bytes");
    expect_fault("-5 setting `consumer`: it has 1 to 31 bytes");
    config.outputs = TEXTS("a", "b", "a");
    expect_fault("-5 setting `outputs`: it has `a` twice");
    config.active_low = TEXTS("");
    expect_fault("-5 setting `active_low`: a name has 1 to 31 bytes");
    config.outputs = TEXTS("a");
    config.initially_active = TEXTS("a", "b");
    expect_fault("-5 setting `initially_active`: `b` is not in `outputs`");
    spin_string many[65];
    for (int i = 0; i < 65; i++)
        many[i] = (spin_string){"a", 1};
    config.outputs = (spin_list_string){many, 65};
    expect_fault("-5 setting `outputs`: it has more than 64 lines");
}

static void expect_no_start(const char *reason) {
    spin_self *self = create();
    expect("the settings do not fit", reason_of_start(self), reason);
    destroy(self);
    check("it holds no line", !chip_is_held(0, 0));
    reset_config();
}

static void test_refusals(void) {
    chip_plug(0, "board");
    reset_config();
    config.outputs = TEXTS("a", "lamp");
    expect_no_start("-1 setting `outputs`: `gpiochip0` has no line `lamp`: it has the numbers 0 to 7, and "
                    "`gpioinfo` shows "
                    "the names");
    config.outputs = TEXTS("8");
    expect_no_start("-1 setting `outputs`: `gpiochip0` has no line `8`: it has the numbers 0 to 7, and "
                    "`gpioinfo` shows the "
                    "names");
    config.outputs = TEXTS("twin");
    expect_no_start(
        "-1 setting `outputs`: `gpiochip0` has two lines `twin`, 6 and 7: name one of them by its number");
    config.outputs = TEXTS("a", "0");
    expect_no_start("-1 setting `outputs`: `a` and `0` are one line");
    config.active_low = TEXTS("99999999999999999999999");
    expect_no_start("-1 setting `active_low`: `gpiochip0` has no line `99999999999999999999999`: it has the "
                    "numbers 0 to 7, "
                    "and `gpioinfo` shows the names");
    chip_refuse(0, 1, EOPNOTSUPP);
    config.outputs = TEXTS("a", "b");
    expect_no_start(
        "-1 setting `outputs`: `gpiochip0` cannot use the line `b` in this way: Operation not supported");
    chip_unplug(0);
}

static void test_other_files(void) {
    const struct {
        spin_string chip;
        const char *reason;
    } others[] = {{TEXT("/dev/null"), "-1 setting `chip`: `/dev/null` is not a GPIO chip"},
                  {TEXT("./dev"), "-1 setting `chip`: `./dev` is not a GPIO chip"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        config.chip = others[i].chip;
        expect_no_start(others[i].reason);
    }
}

// What `get` says without a chip. The instance starts all the same.
static void expect_missing(const char *reason) {
    spin_self *self = make();
    expect("the chip is missing", get(self, "a"), reason);
    expect("an output cannot be set", host_ended(ask_set(self, "a", true)), reason);
    expect("its number is not known", host_ended(ask_set(self, "0", true)), reason);
    expect("another name is not one", host_ended(ask_set(self, "b", true)),
           "-5 the line `b` is not in the setting `outputs`");
    end(self);
}

static void test_missing(void) {
    reset_config();
    config.outputs = TEXTS("a");
    expect_missing("-1 cannot open `/dev/gpiochip0`: No such file or directory");
    chip_plug(0, "board");
    chip_deny(0, EACCES);
    expect_missing("-1 cannot open `/dev/gpiochip0`: Permission denied: the user of the app needs the right "
                   "to read and write "
                   "it");
    config.chip = TEXT("board");
    expect_missing("-1 cannot open `/dev/gpiochip0`: Permission denied: the user of the app needs the right "
                   "to read and write "
                   "it");
    chip_deny(0, 0);
    config.chip = TEXT("another");
    expect_missing("-1 no chip has the label `another`");
    chip_unplug(0);
}

void test_settings(void) {
    test_faults();
    test_refusals();
    test_other_files();
    test_missing();
}

// The host knows a worker by its command line, and so does the plugin.
static void run_as_worker(const char *program) {
    pid_t worker = fork();
    if (worker == 0) {
        execl(program, program, "--worker", (char *)NULL);
        _exit(127);
    }
    int status;
    check("the worker ends in order", worker > 0 && waitpid(worker, &status, 0) == worker &&
                                          WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int count, char **arguments) {
    char folder[] = "/tmp/gpio-test-XXXXXX", program[4096];
    bool is_worker = count == 2 && strcmp(arguments[1], "--worker") == 0;
    check("the program has a path", realpath("/proc/self/exe", program) != NULL);
    check("there is a folder", mkdtemp(folder) && chdir(folder) == 0 && mkdir("dev", 0700) == 0);
    if (!is_worker)
        run_as_worker(program);
    plugin_load(&test_host);
    polls_begin();
    if (is_worker) {
        test_worker();
    } else {
        test_settings();
        test_labels();
        test_outputs();
        test_edges();
        test_queues();
        test_losses();
        test_swaps();
        test_crashes();
        test_changes();
    }
    polls_close();
    rmdir("dev");
    rmdir(folder);
    return 0;
}
