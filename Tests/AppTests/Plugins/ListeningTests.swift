import App
import HostLoop
import TestSupport
import Testing

/// Events of instances that no effect asked for: `spin_instance_call`, and feedbacks with `PLUGIN:*`.
@Suite(.timeLimit(.minutes(10))) struct ListeningTests {
    /// A feed whose instance emits the numbers from 1 to `limit`, whenever there is room.
    private static func feed(_ limit: Int, version: Int = 1, atEnd: String = "", inStart: String = "")
        -> String
    {
        """
        #include <pthread.h>
        #include <spinhost/plugin.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        SPIN_PLUGIN("feed", "\(version)");
        SPIN_EMITTER(news, (int64_t, number), (int64_t, version));
        struct spin_self { spin_call *call; int64_t last; };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)config;
            if (spin_instance_call(call))
                spin_print("a call in create");
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        static void feed(void *context) {
            spin_self *self = context;
            while (self->last < \(limit)) {
                spin_status status = news(self->call, self->last + 1, \(version));
                if (status == SPIN_FULL) {
                    spin_on_room(self->call, feed, self);
                    return;
                }
                if (status != SPIN_OK)
                    return;
                self->last++;
            }
            \(atEnd)
        }
        static void cancelled(void *context) { (void)context, spin_print("cancelled"); }
        static spin_status start(spin_call *call, spin_self *self) {
            self->call = spin_instance_call(call);
            if (!self->call || self->call != spin_instance_call(call))
                return spin_fail(call, -2, "there is no call");
            spin_on_cancel(self->call, cancelled, self);
            char line[64];
            snprintf(line, sizeof line, "before: %d %d", news(self->call, 0, 0),
                     spin_wait_news(self->call, 0, 0, SPIN_FOREVER));
            spin_print(line);
            \(inStart)
            feed(self);
            return SPIN_OK;
        }
        static void stop(spin_self *self) {
            char line[64];
            snprintf(line, sizeof line, "stop: %d", news(self->call, -1, 0));
            spin_print(line);
        }
        SPIN_LIFE(start, stop);
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            return spin_write(saving, &self->last, sizeof self->last);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            (void)call;
            memcpy(&self->last, saved->data, sizeof self->last);
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        static int64_t nothing(spin_self *self) { return self->last; }
        SPIN_EFFECT(int64_t, nothing, (spin_self *self), "");

        """
    }

    private static func manifest(
        until: String, mailbox: String = "", plugin: String = "", loop: String = "main", more: String = ""
    ) -> String {
        """
        [plugins.feed]
        library = "./lib.so"
        \(plugin)
        [loops.\(loop)]
        \(mailbox)
        state  = { last = 0, sum = 0, version = 0, failed = "" }
        events = { news = { number = "int", version = "int" }, failed = { why = "string" } }
        until  = "\(until)"
        [loops.\(loop).on]
        news   = { set = { last = "event.number", sum = "state.sum + event.number", version = "event.version" } }
        failed = { set = { failed = "event.why" } }
        [loops.\(loop).feedback.listen]
        effect = "feed:*"
        on-error = { event = "failed", why = "error.message" }
        \(more)

        """
    }

    @Test func `what an instance emits becomes events, from the begin of the loop to its end`() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest(until: "state.last == 50"), library: Self.feed(50))
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        #expect(run.steps.last?.contains(#""last":50,"sum":1275"#) == true)
        #expect(run.lines == ["before: -2 -2", "cancelled", "stop: -3"])
    }

    @Test(arguments: [1, 2, 7])
    func `nothing is lost when the mailbox is small`(_ capacity: Int) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(
                until: "state.last == 500",
                mailbox: "mailbox = { capacity = \(capacity), overflow = \"reject\" }"),
            library: Self.feed(500))
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains(#""last":500,"sum":125250"#) == true)
    }

    @Test func `an app's only instance is heard by one loop`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(until: "state.last == 20", plugin: "instance = \"app\""), library: Self.feed(20))
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains(#""sum":210"#) == true)
    }

    @Test func `a second feedback for the same instance fails`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(
                until: "state.failed != '' && state.last == 20",
                more: """
                    [loops.main.feedback.second]
                    effect = "feed:*"
                    emits.news = []
                    on-error = { event = "failed", why = "error.message" }
                    """), library: Self.feed(20))
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains("another feedback listens to this instance of `feed`") == true)
    }

    @Test func `the plugin ends the run with its call`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(until: "state.failed != ''"),
            library: Self.feed(3, atEnd: "spin_fail(self->call, -7, \"the line is dead\");"))
        #expect(end.outcome == .done)
        #expect(
            run.steps.last?.contains(#""last":3,"sum":6,"version":1,"failed":"the line is dead""#) == true)
        #expect(run.lines == ["before: -2 -2", "stop: -4"])
    }

    @Test(arguments: [
        (#"spin_fail(self->call, -7, "the line is dead");"#, "the line is dead"),
        ("spin_finish(self->call);", ""),
    ])
    func `what ended before the feedback listens ends it`(_ end: String, _ reason: String) async throws {
        let run = RecordedRun()
        // Without anything left to happen, the app ends.
        let result = try await run.run(
            Self.manifest(until: "state.failed != ''"), library: Self.feed(0, inStart: end))
        #expect(result.outcome == (reason.isEmpty ? .nothingLeft(unreached: ["main"]) : .done))
        #expect(run.steps.last?.contains(#""failed":"\#(reason)""#) == true, "\(run.steps)")
    }

    @Test func `instances at one address cannot be listened to`() async throws {
        let run = RecordedRun()
        let source = Self.feed(1).replacing(
            "return calloc(1, sizeof(spin_self));", with: "static spin_self one;\n    return &one;"
        ).replacing("{ free(self); }", with: "{ (void)self; }")
        let end = try await run.run(
            Self.manifest(until: "state.failed != ''")
                + Self.manifest(until: "state.failed != ''", loop: "other").replacing(
                    #/\[plugins.feed\]\nlibrary = "./lib.so"\n/#, with: ""),
            library: source)
        #expect(end.outcome == .done)
        #expect(run.steps.count { $0.contains("several instances at one address") } == 2, "\(run.steps)")
    }

    @Test func `a timer of the instance's call fires until the instance stops`() async throws {
        let run = RecordedRun()
        let source = Self.feed(
            0, inStart: "spin_timer_start(self->call, 1000, 1000, tick, self, NULL, NULL);"
        )
        .replacing(
            "static void cancelled",
            with: """
                static void tick(void *context, uint64_t due) {
                    spin_self *self = context;
                    (void)due;
                    if (news(self->call, self->last + 1, 1) == SPIN_OK)
                        self->last++;
                }
                static void cancelled
                """)
        let end = try await run.run(Self.manifest(until: "state.last == 5"), library: source)
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains(#""sum":15"#) == true)
    }

    @Test(arguments: ["", "instance = \"app\""])
    func `after a swap the feedback listens to the new instance`(_ plugin: String) async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.version == 2 && state.last == 40", plugin: plugin), Self.feed(20))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.last?.contains(#""last":20"#) == true }
        try world.build(Self.feed(40, version: 2))
        try await world.swap("feed", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(world.record.faults == [])
        #expect(world.record.steps.last?.contains(#""last":40,"sum":820,"version":2"#) == true)
    }

    @Test func `an instance that nobody listens to is told that there is no room`() async throws {
        let run = RecordedRun()
        let text = Self.manifest(until: "state.last == 0").replacing(
            "effect = \"feed:*\"",
            with: "effect = \"feed:nothing\"\nemit = { event = 'news', number = 'result', version = '1' }"
        ).replacing("until  = \"state.last == 0\"", with: "until  = \"state.version == 1\"")
        let end = try await run.run(text, library: Self.feed(10))
        #expect(end.outcome == .done)
        #expect(run.lines == ["before: -2 -2", "cancelled", "stop: -3"])
    }

    @Test func `a plugin without instances has nothing to listen to`() throws {
        let error = #expect(throws: RecordedRun.Faulty.self) {
            try RecordedRun().app(
                Self.manifest(until: "false"),
                library: "#include <spinhost/plugin.h>\nSPIN_PLUGIN(\"feed\", \"1\");\n")
        }
        #expect(error?.description.contains("has no effect `*`") == true, "\(error?.description ?? "")")
    }
}
