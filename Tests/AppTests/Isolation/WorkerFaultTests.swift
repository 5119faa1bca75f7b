import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import Records
import TestSupport
import Testing

/// Workers that the kernel kills at every point of their lives: each call is answered once, and nothing stays behind.
///
/// Each test has a process of its own, in which nothing else opens descriptors or starts threads.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WorkerFaultTests {
    private static let loops = ["adds", "tells"]

    /// Two loops that make calls as fast as they can, count answers that should not be, and end after so many failed calls.
    private static func manifest(_ workers: MortalWorkers, failures: Int) -> String {
        """
        [plugins.frail]
        library = "./lib.so"
        isolation = "process"
        [plugins.frail.sandbox]
        env = \(workers.variables)
        restart = { backoff = ["1ms", "1ms"], limit = 1000000, within = "1s" }

        # Answers by returning; the answer to each call has the call's number. The code is -1082 while there is no instance,
        # as the worker has died twice in a swap: before the new version was there, and while the old one started again.
        [loops.adds]
        state  = { n = 0, answers = 0, failed = 0, wrong = 0 }
        events = { added = { n = "int" }, failed = { n = "int", code = "int" } }
        until  = "state.failed == \(failures)"
        [loops.adds.on]
        added  = { set = { n = "state.n + 1", answers = "state.answers + 1", wrong = "state.wrong + (event.n == state.n ? 0 : 1)" } }
        failed = { set = { n = "state.n + 1", failed = "state.failed + 1", wrong = "state.wrong + (event.n == state.n && (event.code == -1130 || event.code == -1082) ? 0 : 1)" } }
        [loops.adds.feedback.add]
        effect   = "frail:add"
        args     = ["state.n"]
        emit     = { event = "added", n = "result" }
        on-error = { event = "failed", n = "state.n", code = "error.code" }

        # Emits 0 and 1 before it returns, and 2 later.
        [loops.tells]
        state  = { n = 0, next = 0, answers = 0, failed = 0, wrong = 0 }
        events = { told = { n = "int", index = "int" }, failed = { n = "int", code = "int" } }
        until  = "state.failed == \(failures)"
        [loops.tells.on]
        failed = { set = { n = "state.n + 1", next = "0", failed = "state.failed + 1", wrong = "state.wrong + (event.n == state.n && event.code == -1130 ? 0 : 1)" } }
        [[loops.tells.on.told]]
        if  = "event.n != state.n || event.index != state.next"
        set = { wrong = "state.wrong + 1" }
        [[loops.tells.on.told]]
        set = { n = "state.n + event.index / 2", answers = "state.answers + event.index / 2", next = "(state.next + 1) % 3" }
        [loops.tells.feedback.tell]
        effect   = "frail:tell"
        args     = ["state.n"]
        on-error = { event = "failed", n = "state.n", code = "error.code" }

        """
    }

    /// A plugin whose second version answers rightly only with the state that the first one has saved.
    private static func library(_ version: Int) -> String {
        """
        #include <spinhost/plugin.h>
        #include <string.h>
        SPIN_PLUGIN("frail", "\(version)");
        SPIN_EMITTER(told, (int64_t, n), (int64_t, index));

        \(InstanceSource.text("int64_t mark;"))
        static spin_status start(spin_call *call, spin_self *self) {
            (void)call;
            self->mark |= \(version == 2 ? 0 : 1);
            return SPIN_OK;
        }
        static void stop(spin_self *self) { (void)self; }
        SPIN_LIFE(start, stop);
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            return spin_write(saving, &self->mark, sizeof self->mark);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            (void)call;
            memcpy(&self->mark, saved->data, sizeof self->mark);
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);

        static int64_t add(spin_self *self, int64_t n) { return self->mark == 1 ? n : -1; }
        SPIN_EFFECT(int64_t, add, (spin_self *self, int64_t n), "");

        struct job { spin_call *call; int64_t n; };
        static void later(void *context) {
            struct job job = *(struct job *)context;
            free(context);
            told(job.call, job.n, 2);
            spin_finish(job.call);
        }
        static void tell(spin_call *call, int64_t n) {
            struct job *job = malloc(sizeof *job);
            *job = (struct job){call, n};
            told(call, n, 0);
            told(call, n, 1);
            if (spin_work(later, job) != SPIN_OK)
                abort();
        }
        SPIN_EFFECT(void, tell, (spin_call *call, int64_t n), "");

        """
    }

    /// Keeps the newest state of each loop, and the steps that counted a wrong answer.
    private final class LastStates: AppObserver {
        private let states = Lock<[String: Record]>([:])
        private let wrongSteps = Lock<[String]>([])

        var wrong: [String] { wrongSteps.withLock { $0 } }

        func stepped(_ step: AppStep) {
            states.withLock { $0[step.loop] = step.after }
            guard Self.number("wrong", of: step.before) != Self.number("wrong", of: step.after) else {
                return
            }
            let text = "\(step.loop) \(step.event)\(step.payload.value.json) \(step.before.value.json)"
            wrongSteps.withLock { $0.append(text) }
        }

        subscript(loop: String, field: String) -> Int {
            states.withLock { $0[loop] }.map { Self.number(field, of: $0) } ?? 0
        }

        private static func number(_ field: String, of state: Record) -> Int {
            if case .int(let number)? = state.value[field] { Int(number) } else { 0 }
        }
    }

    /// How many descriptors and threads this process has.
    ///
    /// Foundation gives each thread that starts a program a loop with an `eventpoll`, a `timerfd` and an `eventfd`. These
    /// do not count.
    private static var resources: [Int] {
        let files = FileManager.default
        func names(_ folder: String) -> [String] { (try? files.contentsOfDirectory(atPath: folder)) ?? [] }
        let descriptors = names("/proc/self/fd").compactMap {
            try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        func count(_ kind: String) -> Int { descriptors.count { $0 == "anon_inode:[\(kind)]" } }
        return [
            descriptors.count - 2 * count("eventpoll") - count("timerfd"), names("/proc/self/task").count,
        ]
    }

    /// Runs the app twice: with workers that live, and with `workers`, while `body` does something.
    private static func sweep(
        _ workers: MortalWorkers, failures: Int = .max,
        _ body: (SwapWorld, AppRun, LastStates) async throws -> Void
    ) async throws {
        let others = try MortalWorkers(after: .max, step: 0)
        try await run(others, failures: failures) { _, run, _ in run.stop() }
        try blockUntil { !others.processes.contains { $0.isThere || $0.hasFolder } }
        let before = resources
        try await run(workers, failures: failures) { world, run, states in
            try await body(world, run, states)
            let end = await run.finished()
            #expect(end.outcome == (failures == .max ? .stopped : .done))
            #expect(end.abandoned == [])
            for loop in loops {
                #expect(failures == .max || states[loop, "failed"] == failures)
            }
            #expect(states.wrong == [])
        }
        try blockUntil { !workers.processes.contains { $0.isThere || $0.hasFolder } }
        try blockUntil { zip(resources, before).allSatisfy { $0 <= $1 } }
    }

    private static func run(
        _ workers: MortalWorkers, failures: Int, _ body: (SwapWorld, AppRun, LastStates) async throws -> Void
    ) async throws {
        let world = try SwapWorld(manifest(workers, failures: failures), library(1))
        defer { world.app.close() }
        let states = LastStates()
        let run = world.app.start(observer: states)
        await waitUntil { loops.allSatisfy { states[$0, "n"] > 10 } }
        try await body(world, run, states)
        _ = await run.finished()
    }

    @Test func eachCallIsAnsweredOnce_whereverTheWorkerDies() async {
        await #expect(processExitsWith: .success) {
            let workers = try MortalWorkers(after: 2, step: 150)
            try await WorkerFaultTests.sweep(workers, failures: 100) { world, run, states in
                try world.build(WorkerFaultTests.library(2))
                try await world.swap("frail", in: run)
                // The host trusts the new version, and the worker of the old one has ended.
                let n = states["adds", "n"]
                await waitUntil {
                    states["adds", "n"] > n + 20 && workers.processes.filter(\.isThere).count == 1
                }
                workers.killAll()
            }
        }
    }

    @Test func swapsWhileWorkersDie_endWithAReason_andTheAppContinues() async {
        await #expect(processExitsWith: .success) {
            let workers = try MortalWorkers(after: 1, step: 150)
            try await WorkerFaultTests.sweep(workers) { world, run, states in
                let file = world.folder.url("lib.so")
                // An instance begins without a state if there was none before.
                let versions = try [1, 3].map { version in
                    try world.build(WorkerFaultTests.library(version))
                    return try Data(contentsOf: file)
                }
                workers.killAll()
                var swaps = 0
                var answers: [Int] = []
                // After a hundred swaps both loops still get answers. The last swap may have left no instance.
                while swaps <= 100
                    || zip(WorkerFaultTests.loops, answers).contains(where: {
                        states[$0, "answers"] < $1 + 20
                    })
                {
                    swaps += 1
                    // Other bytes each time: the host does not try again what it has rolled back.
                    try (versions[swaps % 2] + Data("\(swaps)".utf8)).write(to: file, options: .atomic)
                    let report = await world.app.swap("frail", in: run, deadline: .generous)
                    #expect(report.outcome == .swapped || !report.reasons.isEmpty, "\(report)")
                    if swaps == 100 { answers = WorkerFaultTests.loops.map { states[$0, "answers"] } }
                }
                run.stop()
            }
        }
    }
}
