import App
import Foundation
import HostLoop
import Journal
import Manifest
import Records
import TestSupport
import Testing

/// Runs of a feedback on events that wait for each other, when the host is killed.
@Suite(.timeLimit(.minutes(10))) struct JournalQueueTests {
    private static func text(
        _ pipe: String, _ executor: String, _ more: String = "", strategy: String = "queue"
    ) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, served = 0\(more) }
        events = { go = {}, served = { n = "int" } }
        until  = "state.served == 4"
        on.go     = { set = { n = "state.n + 1" } }
        on.served = { set = { served = "event.n" } }
        [loops.main.feedback.serve]
        effect   = "lib:serve"
        args     = ["run.key", "state.n", "'\(pipe)'"]
        on       = "go"
        strategy = "\(strategy)"
        executor = "\(executor)"
        emit     = { event = "served", n = "result" }

        """
    }

    /// It prints its key, and waits for a line in the pipe.
    private static let library = """
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        static int64_t serve(const char *key, int64_t n, const char *path) {
            char line[SPIN_RUN_KEY_SIZE + 40];
            snprintf(line, sizeof line, "%s serves %d", key, (int)n);
            spin_print(line);
            int file = open(path, O_RDONLY);
            if (file < 0 || read(file, line, 1) != 1) n = -1;
            close(file);
            return n;
        }
        SPIN_EFFECT(int64_t, serve, (const char *key, int64_t n, const char *path), "Waits, and returns `n`.");

        """

    /// The numbers of runs that are open and that wait.
    private static func runs(_ store: MemoryStore) throws -> [Int] {
        guard let feedback = try JournalReader(store).end().state.loops.first?.feedbacks.first else {
            return []
        }
        return [feedback.open.count, feedback.waiting.count]
    }

    /// Runs until the journal has so many runs that are open and that wait, and returns what it has then.
    private static func left(_ world: JournalWorld, _ pipe: URL, runs: [Int]) async throws -> MemoryStore {
        let record = RecordedRun()
        let app = try world.app(record)
        defer { app.close() }
        let port = AppPort(world.manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port, journal: try world.journal(world.store))
        run.start()
        for _ in 0..<4 {
            _ = try port.send(event: 0, payload: Record(world.manifest.loops[0].events[0].type), toLoop: 0)
        }
        try await waitUntil { try Self.runs(world.store) == runs }
        await record.lines(runs[0])
        let left = world.store.reopened()
        try Data("\n\n\n\n".utf8).write(to: pipe)
        run.stop()
        _ = await run.finished()
        return left
    }

    /// What four runs print.
    private static let lines = (1...4).map { number in
        "\(String(repeating: "a", count: 32))/main/serve/\(number) serves \(number)"
    }

    @Test(arguments: ["pool", "queue"], ["", ", more = 7"])
    func `after a restart, runs that wait on another executor keep their order and their keys`(
        _ executor: String, _ more: String
    ) async throws {
        let folder = try TemporaryFolder()
        let pipe = try folder.pipe("pipe")
        let world = try JournalWorld(Self.text(pipe.path, executor), library: Self.library)
        let left = try await Self.left(world, pipe, runs: [1, 3])
        try FileManager.default.removeItem(at: pipe)
        try folder.write("pipe", "\n")
        let next = try JournalWorld(Self.text(pipe.path, executor, more), library: Self.library)
        let (again, end) = try await next.run(left)
        #expect(end.outcome == .done)
        #expect(again.lines == Self.lines)
    }

    @Test func `runs that wait after a restart keep their keys when the manifest changes, too`() async throws
    {
        let folder = try TemporaryFolder()
        let pipe = try folder.pipe("pipe")
        // All four begin in the first process. The next one begins them again, one after the other.
        let world = try JournalWorld(
            Self.text(pipe.path, "pool", strategy: "continue-on-new-state"), library: Self.library)
        let left = try await Self.left(world, pipe, runs: [4, 0])
        let (next, record) = (
            try JournalWorld(Self.text(pipe.path, "pool"), library: Self.library), RecordedRun()
        )
        let app = try next.app(record)
        defer { app.close() }
        let run = app.makeRun(observer: record, journal: try next.journal(left))
        run.start()
        await record.lines(1)
        let changed = try RecordedRun.manifest(
            "[app.journal]\nfile = \"run.journal\"\ndurable = \"every-step\"\n"
                + Self.text(pipe.path, "pool", ", more = 7"), in: next.folder)
        let follower = try await app.succeed(run, by: changed, observer: record).get()
        defer { follower.app.close() }
        let line = try FileHandle(forWritingTo: pipe)
        try FileManager.default.removeItem(at: pipe)
        try folder.write("pipe", "\n")
        try line.write(contentsOf: Data("\n".utf8))
        try line.close()
        #expect(await follower.run.finished().outcome == .done)
        #expect(record.lines == Self.lines)
    }
}
