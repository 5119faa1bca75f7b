import App
import HostLoop
import Synchronization
import Testing

/// Effects that emit later, on threads of their own, and what they do wrong.
@Suite(.timeLimit(.minutes(10))) struct EmissionRunTests {
    /// `[loops.main]` with an event `loaded` and the effect `lib:load`.
    private static func loading(until: String = "state.n == 1", more: String = "") -> String {
        """
        \(more)
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, text = "" }
        events = { loaded = { text = "string" } }
        until  = "\(until)"
        [loops.main.on]
        loaded = { set = { n = "state.n + 1", text = "event.text" } }
        [loops.main.feedback.load]
        effect = "lib:load"

        """
    }

    /// A plugin whose effect `load` does what `body` says.
    private static func plugin(_ body: String) -> String {
        """
        #include <pthread.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0.0");
        SPIN_EMITTER(loaded, (const char *, text));
        \(body)
        SPIN_EFFECT(void, load, (spin_call *call), "");

        """
    }

    @Test(arguments: [
        (#""a\xFF""#, "`text`: the text is not UTF-8 at byte 1"),
        ("NULL", "`text`: expected text, found null"),
    ])
    func invalidEmission_isAFault_andTheRunContinues(_ text: String, _ reason: String) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.loading(),
            library: Self.plugin(
                """
                static void load(spin_call *call) {
                    if (loaded(call, \(text)) == SPIN_BAD_VALUE) loaded(call, "refused");
                    spin_finish(call);
                }
                """))
        #expect(end.outcome == .done)
        #expect(end.counters.faults == 1)
        #expect(run.steps.last == #"loaded{"text":"refused"} {"n":1,"text":"refused"}"#)
        #expect(
            run.faults == [
                "main 0 feedback:load: `load` emitted a `loaded` that is not what the emitter declares: \(reason)"
            ])
    }

    @Test(.inThisProcess("a worker's last call begins after the end of its loop"))
    func faultOfAnEmission_tellsTheStepOfItsLoop() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.loading(until: "state.n == 3")
                + "on = \"loaded\"\n[loops.main.feedback.begin]\neffect = \"lib:begin\"\n",
            library: Self.plugin(
                """
                static void load(spin_call *call) {
                    loaded(call, NULL);
                    loaded(call, "again");
                    spin_finish(call);
                }
                static void begin(spin_call *call) { loaded(call, "first"); spin_finish(call); }
                SPIN_EFFECT(void, begin, (spin_call *call), "");
                """))
        #expect(run.faults.map { $0.prefix(6) } == ["main 1", "main 2", "main 3"])
    }

    @Test func faultsOfManyThreads_areAllCounted_andCallsOfTheObserverDoNotOverlap() async throws {
        let watch = OverlapWatch()
        let app = try RecordedRun().app(
            Self.loading(until: "state.text == 'end'"),
            library: Self.plugin(
                """
                static void *work(void *call) {
                    for (int i = 0; i < 200; i++) { loaded(call, "x"); loaded(call, NULL); }
                    return NULL;
                }
                static void *lead(void *call) {
                    pthread_t threads[4];
                    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, call);
                    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
                    loaded(call, "end");
                    spin_finish(call);
                    return NULL;
                }
                \(ThreadedEffect.load(by: "lead"))
                """))
        defer { app.close() }
        let end = await app.start(observer: watch).finished()
        #expect(end.outcome == .done)
        #expect(end.counters.faults == 800)
        #expect(watch.counts == [801, 800, 0])
    }

    @Test(.inThisProcess("a worker's last event comes after the end of its loop, and is a drop too"))
    func emissionAfterTheEndOfItsCall_isADrop() async throws {
        let run = RecordedRun()
        let library = Self.plugin(
            """
            static spin_call *ended;
            static void load(spin_call *call) {
                loaded(call, "x");
                spin_finish(call);
                if (ended) loaded(ended, "late");
                loaded(call, "late");
                ended = call;
            }
            """)
        let end = try await run.run(
            Self.loading(until: "state.n == 2") + "trigger = \"state\"\n", library: library)
        #expect(end.outcome == .done)
        #expect(run.steps.count == 3)
        // Each call after its own end, and the later ones for the one before.
        #expect(end.counters.drops == 5)
    }

    @Test func observerThatStopsTheApp_fromAFaultOfAnEmission_doesNotBlockIt() async throws {
        // What is called for the cancellation emits in vain once more, and takes a lock that the emitting
        // thread has.
        let app = try RecordedRun().app(
            Self.loading(),
            library: Self.plugin(
                """
                static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
                static void cancelled(void *call) {
                    pthread_mutex_lock(&mutex);
                    loaded(call, NULL);
                    pthread_mutex_unlock(&mutex);
                }
                static void *work(void *call) {
                    pthread_mutex_lock(&mutex);
                    spin_on_cancel(call, cancelled, call);
                    loaded(call, NULL);
                    pthread_mutex_unlock(&mutex);
                    return NULL;
                }
                \(ThreadedEffect.load(by: "work"))
                """))
        defer { app.close() }
        let stopper = StoppingObserver()
        let run = app.start(observer: stopper)
        stopper.watch(run)
        let end = await run.finished()
        #expect(end.outcome == .stopped)
        #expect(end.abandoned.isEmpty)
    }

    @Test func everyEmission_hasTheTimeOfItsOwn() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state     = { n = 0, last = { type = "timestamp" }, later = 0 }
            events    = { loaded = { at = "timestamp" } }
            until     = "state.n == 3"
            on.loaded = { set = { n = "state.n + 1", last = "event.at", later = "state.later + (event.at > state.last ? 1 : 0)" } }
            [loops.main.feedback.load]
            effect          = "lib:load"
            emits.loaded.at = "now"
            emits.loaded.event = "loaded"

            """,
            library: Self.plugin(
                """
                #include <time.h>
                static void *work(void *call) {
                    struct timespec before, now;
                    for (int i = 0; i < 3; i++) {
                        loaded(call, "");
                        clock_gettime(CLOCK_REALTIME, &before);
                        do
                            clock_gettime(CLOCK_REALTIME, &now);
                        while (now.tv_nsec == before.tv_nsec);
                    }
                    spin_finish(call);
                    return NULL;
                }
                \(ThreadedEffect.load(by: "work"))
                """))
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains(#""later":3"#) == true, "\(run.steps)")
    }

    @Test func invalidEmission_endsAnAppThatStopsOnFaults() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.loading(more: "app.on-fault = \"stop\""),
            library: Self.plugin("static void load(spin_call *call) { loaded(call, NULL); }"))
        #expect(end.outcome == .fault)
        #expect(end.counters.faults == 1)
    }
}

/// Counts steps, faults, and calls that began before another had returned.
private final class OverlapWatch: AppObserver {
    private let isInside = Atomic(false)
    private let told = Lock([0, 0, 0])

    /// Steps, faults, overlaps.
    var counts: [Int] { told.withLock { $0 } }

    func stepped(_ step: AppStep) { count(0) }

    func faulted(_ fault: AppFault) { count(1) }

    private func count(_ what: Int) {
        let overlaps = isInside.exchange(true, ordering: .acquiringAndReleasing)
        told.withLock {
            $0[what] += 1
            if overlaps { $0[2] += 1 }
        }
        isInside.store(false, ordering: .releasing)
    }
}

/// Stops the run at its first fault.
private final class StoppingObserver: AppObserver {
    private struct State {
        var run: AppRun?
        var hasFaulted = false
    }

    private let state = Lock(State())

    /// The run to stop, at once if it has failed already.
    func watch(_ run: AppRun) {
        let hasFaulted = state.withLock {
            $0.run = run
            return $0.hasFaulted
        }
        if hasFaulted { run.stop() }
    }

    func faulted(_ fault: AppFault) {
        let run = state.withLock {
            $0.hasFaulted = true
            return $0.run
        }
        run?.stop()
    }
}
