import App
import Foundation
import HostLoop
import PluginHost
import Records
import TestSupport
import Testing

/// Very many swaps while two threads emit at full speed and a third effect answers in each state.
///
/// 20 swaps, or as many as the environment variable `SPIN_SWAPS` says; with it, memory, descriptors and threads of the process
/// are looked at too, which other tests would disturb.
@Suite(.timeLimit(.minutes(30))) struct SwapLoadTests {
    /// What the plugin counts, in memory of the test: its own variables go with each version.
    // Safe because the memory lives as long as the process.
    @safe
    private struct Counters: Sendable {
        /// Ticks of the first and the second thread, calls that answered, other events, and whether to end.
        static let count = 5
        // Safe because the memory lives as long as the process, and only numbers are read and written.
        nonisolated(unsafe) let memory = UnsafeMutablePointer<Int>.allocate(capacity: count)

        init() { unsafe memory.initialize(repeating: 0, count: Self.count) }

        subscript(index: Int) -> Int { unsafe memory[index] }
        func end() { unsafe memory[4] = 1 }
        var address: Int { unsafe Int(bitPattern: memory) }
    }

    /// Keeps the state that the loop is in; a recording of so many steps would grow.
    private final class LastState: AppObserver {
        private let state = Lock<Record?>(nil)

        var numbers: [String: Int] {
            let fields = state.withLock { $0 }?.value
            let names = ["bad", "first", "second"]
            return Dictionary(
                uniqueKeysWithValues: names.compactMap { name in
                    if case .int(let number)? = fields?[name] { (name, Int(number)) } else { nil }
                })
        }

        func stepped(_ step: AppStep) { state.withLock { $0 = step.after } }
    }

    private static func library(_ version: Int) -> String {
        """
        #include <sched.h>
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        SPIN_PLUGIN("numbers", "\(version)");
        SPIN_EMITTER(tick, (int64_t, pump), (int64_t, serial));
        SPIN_EMITTER(again, (int64_t, pump));
        SPIN_EMITTER(done, (int64_t, pump));

        struct job { spin_call *call; int64_t pump; int64_t *counters; };

        static void work(void *context) {
            struct job job = *(struct job *)context;
            free(context);
            for (int i = 0; i < 50; i++) {
                spin_status status;
                while ((status = tick(job.call, job.pump, job.counters[job.pump])) == SPIN_FULL)
                    sched_yield();
                if (status == SPIN_OK)
                    job.counters[job.pump]++;
            }
            int64_t ends = __atomic_load_n(&job.counters[4], __ATOMIC_SEQ_CST);
            spin_status status;
            while ((status = ends ? done(job.call, job.pump) : again(job.call, job.pump)) == SPIN_FULL)
                sched_yield();
            if (status == SPIN_OK)
                __atomic_add_fetch(&job.counters[3], 1, __ATOMIC_SEQ_CST);
            spin_finish(job.call);
        }

        static void pump(spin_call *call, int64_t pump, int64_t counters) {
            struct job *job = malloc(sizeof *job);
            *job = (struct job){call, pump, (int64_t *)(intptr_t)counters};
            if (spin_work(work, job) != SPIN_OK)
                abort();
        }
        SPIN_EFFECT(void, pump, (spin_call *call, int64_t pump, int64_t counters), "");

        static int64_t ask(int64_t state, int64_t counters) {
            ((int64_t *)(intptr_t)counters)[2]++;
            return state + \(version);
        }
        SPIN_EFFECT(int64_t, ask, (int64_t state, int64_t counters), "");
        """
    }

    private static func manifest(_ counters: Counters) -> String {
        """
        [plugins.numbers]
        library = "./lib.so"
        [loops.main]
        state  = { begun = false, first = 0, second = 0, bad = 0, asked = 0, done = 0 }
        until  = "state.done == 2"
        [loops.main.events]
        begin    = {}
        tick     = { pump = "int", serial = "int" }
        again    = { pump = "int" }
        done     = { pump = "int" }
        answered = { answer = "int" }
        [loops.main.on]
        begin    = { set = { begun = "true" } }
        again    = {}
        done     = { set = { done = "state.done + 1" } }
        answered = { set = { asked = "state.asked + 1" } }
        [[loops.main.on.tick]]
        if  = "event.pump == 0"
        set = { first = "state.first + 1", bad = "state.bad + (event.serial == state.first ? 0 : 1)" }
        [[loops.main.on.tick]]
        set = { second = "state.second + 1", bad = "state.bad + (event.serial == state.second ? 0 : 1)" }
        [loops.main.feedback.begin]
        effect = "libc:abs"
        args   = [1]
        emit   = [{ event = "begin" }, { event = "again", pump = "0" }, { event = "again", pump = "1" }]
        [loops.main.feedback.first]
        on     = "again"
        when   = "event.pump == 0"
        effect = "numbers:pump"
        args   = ["0", \(counters.address)]
        [loops.main.feedback.second]
        on     = "again"
        when   = "event.pump == 1"
        effect = "numbers:pump"
        args   = ["1", \(counters.address)]
        [loops.main.feedback.ask]
        effect  = "numbers:ask"
        trigger = "state"
        args    = ["state.first + state.second", \(counters.address)]
        emit    = { event = "answered", answer = "result" }
        [plugins.libc]
        library  = "libc.so.6"
        declares = "int abs(int n);"

        """
    }

    private static let asked = ProcessInfo.processInfo.environment["SPIN_SWAPS"].flatMap { Int($0) }

    @Test(.inThisProcess("it shares memory with its plugin"))
    func nothingIsLost_nothingComesTwice_andEveryVersionIsUnmapped() async throws {
        let swaps = Self.asked ?? 20
        let counters = Counters()
        let world = try SwapWorld(Self.manifest(counters), Self.library(1))
        defer { world.app.close() }
        try world.build(Self.library(2))
        let versions = try [1, 2].map { version in
            try world.build(Self.library(version))
            return try Data(contentsOf: world.folder.url("lib.so"))
        }
        let last = LastState()
        let run = world.app.start(observer: last)
        var before = (memory: 0, files: 0, threads: 0)
        for swap in 1...swaps {
            try versions[swap % 2].write(to: world.folder.url("lib.so"), options: .atomic)
            try await world.swap("numbers", in: run)
            if swap == swaps / 2 { before = Self.process }
        }
        let after = Self.process
        counters.end()
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.drops == 0 && end.counters.faults == 0)
        // Each event that was emitted was reduced, withdrawn with the state that it was for, or was left when the loop was done;
        // the first three are those of `begin`.
        let emitted = 3 + counters[0] + counters[1] + counters[2] + counters[3]
        let ends = end.counters
        #expect(ends.events + ends.withdrawn + ends.discarded == emitted)
        #expect(last.numbers["bad"] == 0)
        #expect(last.numbers["first"] == counters[0] && last.numbers["second"] == counters[1])
        await waitUntil { world.app.replacedLibraries.inUse == 0 }
        #expect(world.app.replacedLibraries.unmapped == swaps)
        guard Self.asked != nil else { return }
        print("\(swaps) swaps, \(emitted) events; before \(before), after \(after)")
        #expect(after.files <= before.files + 8)
        #expect(after.threads <= before.threads + 4)
        // A version takes 20 KiB and more.
        #expect(after.memory - before.memory < swaps / 2 * 2 + 4096)
    }

    /// Resident memory in KiB, open files and threads.
    private static var process: (memory: Int, files: Int, threads: Int) {
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
        }
        // Its size is 0, so that it must be read until the end.
        let statm = (try? FileHandle(forReadingAtPath: "/proc/self/statm")?.readToEnd()) ?? Data()
        let pages =
            String(decoding: statm, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
            ?? 0
        return (pages * 4, count("/proc/self/fd"), count("/proc/self/task"))
    }
}
