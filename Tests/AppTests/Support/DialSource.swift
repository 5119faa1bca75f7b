/// A plugin whose instances take over changed settings, as the level says: 13 is refused with a reason, 14 with
/// a status, 22 by the second instance, 99 also by `create`; 66 crashes, 77 hangs.
struct DialSource {
    /// What a hanging function reads from until it is closed.
    var gate: Int32 = -1
    var takesChangedSettings = true

    var text: String {
        """
        #include <spinhost/plugin.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("dial", "1");
        SPIN_CONFIG((int64_t, level, 1, "The level."), (spin_secret, key, {}, "The key."));
        SPIN_EMITTER(levelled, (int64_t, level));
        struct spin_self { const spin_config *config; spin_call *call; int number; };
        static int instances;
        static int *volatile nothing;
        static void say(const char *what, const spin_config *config) {
            char line[64];
            snprintf(line, sizeof line, "%s %d", what, (int)config->level);
            spin_print(line);
            if (config->key.size > 0)
                spin_print(config->key.data);
        }
        static spin_self *create(spin_call *call, const spin_config *config) {
            say("create", config);
            if (config->level == 99) {
                spin_fail(call, -9, "no such level");
                return NULL;
            }
            spin_self *self = calloc(1, sizeof(spin_self));
            self->config = config;
            self->number = ++instances;
            return self;
        }
        static void destroy(spin_self *self) {
            say("destroy", self->config);
            free(self);
        }
        SPIN_INSTANCE(create, destroy);
        static spin_status start(spin_call *call, spin_self *self) {
            (void)call;
            say("start", self->config);
            return SPIN_OK;
        }
        static void stop(spin_self *self) { say("stop", self->config); }
        SPIN_LIFE(start, stop);
        \(takesChangedSettings ? reconfigure : "")
        static void watch(spin_call *call, spin_self *self) {
            self->call = call;
            levelled(call, self->config->level);
        }
        SPIN_EFFECT(void, watch, (spin_call *call, spin_self *self), "");

        """
    }

    private var reconfigure: String {
        """
        static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                                       const spin_config *config) {
            char line[64], byte;
            snprintf(line, sizeof line, "%d to", (int)before->level);
            say(before == self->config ? line : "other settings", config);
            if (config->level == 13 || config->level == 99 || (config->level == 22 && self->number == 2))
                return spin_fail(call, -3, "an unlucky level");
            if (config->level == 14)
                return -14;
            if (config->level == 66)
                *nothing = 1;
            while (config->level == 77 && read(\(gate), &byte, 1) > 0)
                ;
            self->config = config;
            levelled(self->call, config->level);
            return SPIN_OK;
        }
        SPIN_RECONFIGURE(reconfigure);
        """
    }

    /// A manifest in which each loop shows the level, for ever.
    static func manifest(_ config: String, loops: [String] = ["main"], plugin: String = "") -> String {
        let watching = loops.map { loop in
            """
            [loops.\(loop)]
            state  = { level = 0 }
            events = { levelled = { level = "int" } }
            on.levelled = { set = { level = "event.level" } }
            [loops.\(loop).feedback.watch]
            effect = "dial:watch"
            emits.levelled = { event = "levelled", level = "value.level" }

            """
        }
        return """
            [plugins.dial]
            library = "./lib.so"
            config  = { \(config) }
            \(plugin)

            """ + watching.joined()
    }
}
