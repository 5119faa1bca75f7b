import App
import Diagnostics
import HostLoop
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// An app with a journal whose manifest changes while it runs.
@Suite(.timeLimit(.minutes(10))) struct JournalSuccessionTests {
    /// Each run prints its key and lasts. Runs of `queued` wait for each other.
    private static func text(_ more: String = "", fields: String = "n = 0") -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { \(fields) }
        events = { go = {} }
        on.go = { set = { n = "state.n + 1" } }
        [loops.main.feedback.lasting]
        effect   = "lib:last"
        emits.counted = []
        on       = "go"
        strategy = "continue-on-new-state"
        [loops.main.feedback.queued]
        effect   = "lib:last"
        emits.counted = []
        on       = "go"
        [loops.main.feedback.changing]
        effect = "lib:last"
        emits.counted = []
        when   = "state.n > 0"
        \(more)
        """
    }

    private static let library = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        SPIN_EMITTER(counted, (int64_t, n));
        static void last(spin_call *call) {
            char key[SPIN_RUN_KEY_SIZE];
            spin_run_key(call, key, sizeof key);
            spin_print(key);
        }
        SPIN_EFFECT(void, last, (spin_call *call), "Prints the key of its run, and lasts.");

        """

    private static func key(_ run: String) -> String { "\(String(repeating: "a", count: 32))/main/\(run)" }

    /// Lines that a later process prints: those of the runs that it begins again.
    private static let again = ["changing/1", "lasting/1", "lasting/2", "queued/1"].map(key)

    private func changed(
        _ more: String, fields: String = "n = 0", of world: JournalWorld
    ) throws -> Manifest {
        try RecordedRun.manifest(
            "[app.journal]\nfile = \"run.journal\"\ndurable = \"every-step\"\n"
                + Self.text(more, fields: fields),
            in: world.folder)
    }

    /// The runs that have begun and not ended, and the requests that wait, by feedback.
    private func open(_ store: MemoryStore) throws -> (epochs: Int, open: [Int], waiting: [Int])? {
        let state = try JournalReader(store.reopened()).end().state
        guard let past = state.loops.first, past.isDelivered else { return nil }
        return (state.epochs, past.feedbacks.map(\.open.count), past.feedbacks.map(\.waiting.count))
    }

    private func send(_ port: AppPort, _ manifest: Manifest) throws {
        _ = try port.send(event: 0, payload: Record(manifest.loops[0].events[0].type), toLoop: 0)
    }

    /// Runs the changed manifest as a new process does, until it has printed so many lines.
    private func next(
        _ more: String, fields: String = "n = 0", _ store: MemoryStore, lines: Int
    ) async throws -> [String] {
        let text = Self.text(more, fields: fields)
        let (record, world) = (RecordedRun(), try JournalWorld(text, library: Self.library))
        let app = try world.app(record)
        defer { app.close() }
        let run = app.makeRun(observer: record, journal: try world.journal(store))
        run.start()
        await record.lines(lines)
        run.stop()
        _ = await run.finished()
        return record.lines.sorted()
    }

    @Test(arguments: ["n = 0", "more = 7, n = 0"])
    func `runs that continue in the app of a changed manifest keep their keys, also in the next process`(
        fields: String
    ) async throws {
        let (record, world) = (RecordedRun(), try JournalWorld(Self.text(), library: Self.library))
        let app = try world.app(record)
        defer { app.close() }
        let port = AppPort(world.manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port, journal: try world.journal(world.store))
        run.start()
        await record.steps(1)
        for count in 2...3 {
            try send(port, world.manifest)
            await record.steps(count)
        }
        try await waitUntil { try open(world.store)?.waiting == [0, 1, 0] }
        let more = "[loops.other]\nstate = { m = 1 }"
        let manifest = try changed(more, fields: fields, of: world)
        let other = AppPort(manifest, statesCame: {})
        let result = await app.succeed(run, by: manifest, observer: record, port: other)
        let follower = try result.get()
        defer { follower.app.close() }
        try await waitUntil { try open(world.store)?.epochs == 2 }
        let known = try #require(try open(world.store))
        #expect(known.open == [2, 1, 1] && known.waiting == [0, 1, 0])
        let left = world.store.reopened()
        // What comes later has keys of the new epoch.
        try send(other, manifest)
        await record.line(Self.key("lasting/2.3"))
        follower.run.stop()
        _ = await follower.run.finished()
        #expect(record.lines.sorted() == (Self.again + [Self.key("lasting/2.3")]).sorted())
        #expect(try await next(more, fields: fields, left, lines: 4) == Self.again)
        // The state may have another field in the next process only.
        #expect(try await next(more, fields: "last = 1, " + fields, left.reopened(), lines: 4) == Self.again)
    }

    @Test func `runs that the changed manifest declares otherwise end, and begin again under new keys`()
        async throws
    {
        let (record, world) = (RecordedRun(), try JournalWorld(Self.text(), library: Self.library))
        let app = try world.app(record)
        defer { app.close() }
        let port = AppPort(world.manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port, journal: try world.journal(world.store))
        run.start()
        await record.steps(1)
        try send(port, world.manifest)
        await record.lines(3)
        // The last feedback of the text gets another key.
        let manifest = try changed("timeout = \"1h\"", of: world)
        let follower = try await app.succeed(run, by: manifest, observer: record).get()
        defer { follower.app.close() }
        await record.line(Self.key("changing/2.1"))
        try await waitUntil {
            let known = try open(world.store)
            return known?.epochs == 2 && known?.open == [1, 1, 1]
        }
        let left = world.store.reopened()
        follower.run.stop()
        _ = await follower.run.finished()
        let lines = try await next("timeout = \"1h\"", left, lines: 3)
        #expect(lines == ["changing/2.1", "lasting/1", "queued/1"].map(Self.key))
    }

    @Test func `a refused change writes nothing, and the run continues in its journal`() async throws {
        let (record, world) = (RecordedRun(), try JournalWorld(Self.text(), library: Self.library))
        let app = try world.app(record)
        defer { app.close() }
        let port = AppPort(world.manifest, statesCame: {})
        let run = app.makeRun(observer: record, port: port, journal: try world.journal(world.store))
        run.start()
        await record.steps(1)
        try await waitUntil { try open(world.store) != nil }
        let last = try world.store.last()?.number
        let manifest = try RecordedRun.manifest(
            "[app.journal]\nfile = \"run.journal\"\ndurable = \"every-step\"\n[loops.main]\nstate = { n = 'x' }",
            in: world.folder)
        let result = await app.succeed(run, by: manifest)
        #expect(throws: AppRefusal.self) { try result.get() }
        #expect(try world.store.last()?.number == last)
        try send(port, world.manifest)
        await record.steps(2)
        run.stop()
        _ = await run.finished()
        #expect(try JournalWorld.states(world.store)["main"] == #"{"n":1}"#)
        #expect(try JournalReader(world.store).end().state.epochs == 1)
    }
}
