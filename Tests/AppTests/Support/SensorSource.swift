/// A plugin with an instance that counts its calls, and says what happens to it.
struct SensorSource {
    /// Its version, and what it answers `by` with.
    var version: Int
    /// The function of the instance that fails, hangs or crashes; `again` is the second `start`.
    var fails = ""
    var hangs = ""
    var crashes = ""
    /// After so many calls the next one crashes; nil: none does.
    var crashesAfter: Int?
    /// What a function that hangs reads from until it is closed. The effect `follow` waits until one hangs.
    var gate: Int32 = -1
    var savesState = true
    /// What stands in `SPIN_CONFIG`; empty for no settings.
    var settings = ""

    var text: String {
        """
        #include <spinhost/plugin.h>
        #include <sched.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        SPIN_PLUGIN("sensor", "\(version)");
        \(settings.isEmpty ? "" : "SPIN_CONFIG(\(settings));")
        SPIN_EMITTER(counted, (int64_t, n), (int64_t, by));
        struct spin_self { int64_t count; int starts; };
        static int *volatile nothing;
        static _Atomic int hangs;
        static int visit(const char *function) {
            char line[64], byte;
            snprintf(line, sizeof line, "%s \(version)", function);
            spin_print(line);
            if (strcmp(function, "\(crashes)") == 0)
                *nothing = 1;
            if (strcmp(function, "\(hangs)") == 0) {
                hangs = 1;
                while (read(\(gate), &byte, 1) > 0)
                    ;
            }
            return strcmp(function, "\(fails)") == 0;
        }
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)config;
            if (visit("create")) {
                spin_fail(call, -9, "there is no device");
                return NULL;
            }
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) {
            visit("destroy");
            free(self);
        }
        SPIN_INSTANCE(create, destroy);
        static spin_status start(spin_call *call, spin_self *self) {
            if (visit("start") || (self->starts++ > 0 && strcmp("\(fails)", "again") == 0))
                return spin_fail(call, -10, "the device is taken");
            return SPIN_OK;
        }
        static void stop(spin_self *self) {
            (void)self;
            visit("stop");
        }
        SPIN_LIFE(start, stop);
        \(savesState ? Self.swapping : "")
        static int64_t count(spin_self *self) {
            static int calls;
            if (\(crashesAfter ?? -1) >= 0 && calls++ >= \(crashesAfter ?? -1))
                *nothing = 1;
            return ++self->count * 16 + \(version);
        }
        SPIN_EFFECT(int64_t, count, (spin_self *self), "");
        static int64_t echo(spin_self *self, int64_t n) { return self->count * 0 + n * 16 + \(version); }
        SPIN_EFFECT(int64_t, echo, (spin_self *self, int64_t n), "");
        static int64_t block(spin_self *self) { return visit("block") + count(self); }
        SPIN_EFFECT(int64_t, block, (spin_self *self), "");
        static int64_t follow(spin_self *self) {
            while (!hangs && strcmp("block", "\(hangs)") == 0)
                sched_yield();
            return count(self);
        }
        SPIN_EFFECT(int64_t, follow, (spin_self *self), "");
        static int64_t crash(spin_self *self) { return visit("crash") + count(self); }
        SPIN_EFFECT(int64_t, crash, (spin_self *self), "");
        static void cancelled(void *context) {
            (void)context;
            visit("cancelled");
        }
        static void watch(spin_call *call, spin_self *self) {
            spin_on_cancel(call, cancelled, NULL);
            counted(call, ++self->count, \(version));
        }
        SPIN_EFFECT(void, watch, (spin_call *call, spin_self *self), "");

        """
    }

    private static let swapping = """
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            if (visit("save"))
                return spin_fail(call, -11, "the disk is full");
            return spin_write(saving, &self->count, sizeof self->count);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            if (visit("restore") || saved->data_size != sizeof self->count)
                return spin_fail(call, SPIN_BAD_VALUE, "it does not know that state");
            memcpy(&self->count, saved->data, sizeof self->count);
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        """

    /// The plugin's table in a manifest.
    static func plugin(_ more: String = "") -> String {
        """
        [plugins.sensor]
        library = "./lib.so"
        \(more)

        """
    }

    /// A loop that calls an effect in each state, as fast as it can, and counts the answers.
    static func loop(_ name: String = "main", until: String, effect: String = "count") -> String {
        """
        [loops.\(name)]
        state  = { n = 0, count = 0, by = 0 }
        events = { counted = { count = "int", by = "int" } }
        until  = "\(until)"
        [loops.\(name).on]
        counted = { set = { n = "state.n + 1", count = "event.count", by = "event.by" } }
        [loops.\(name).feedback.ask]
        effect  = "sensor:\(effect)"
        trigger = "state"
        emit    = { event = "counted", count = "result / 16", by = "result % 16" }

        """
    }

    /// A loop with a call that goes on, and whose emissions it counts, until they come from version 3.
    static func watching(_ plugin: String) -> String {
        Self.plugin(plugin) + """
            [loops.main]
            state  = { n = 0, count = 0, by = 0 }
            events = { counted = { count = "int", by = "int" } }
            until  = "state.by == 3"
            [loops.main.on]
            counted = { set = { n = "state.n + 1", count = "event.count", by = "event.by" } }
            [loops.main.feedback.watch]
            effect = "sensor:watch"
            emits.counted = { event = "counted", count = "value.n", by = "value.by" }

            """
    }
}
