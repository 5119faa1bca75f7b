import App
import HostLoop
import Journal
import Records
import TestSupport
import Testing

/// A process is in the journal before its loops begin. So no later process uses its keys again.
@Suite(.timeLimit(.minutes(10))) struct JournalBeginTests {
    private static let counting = """
        [loops.main]
        state  = { n = 0 }
        events = { add = {} }
        on.add = { set = { n = "state.n + 1" } }

        """

    @Test(arguments: ["stop", "continue"])
    func `a journal that cannot be written lets no app begin`(_ full: String) throws {
        let world = try JournalWorld(Self.counting, journal: "durable = \"off\"\nfull = \"\(full)\"")
        world.store.fail(.append, .before)
        let app = try world.app(RecordedRun())
        defer { app.close() }
        let journal = try world.journal(world.store)
        #expect(!app.begin(journal))
        #expect(journal.status.failure != nil)
        journal.close()
    }

    @Test(arguments: ["off", "batched"])
    func `each process has its epoch in the journal before a loop begins`(_ durable: String) async throws {
        // Nothing else is committed in that time.
        let world = try JournalWorld(
            Self.counting, journal: "durable = \"\(durable)\"\ninterval = \"10s\"")
        for process in 1...3 {
            let app = try world.app(RecordedRun())
            let journal = try world.journal(world.store)
            #expect(app.begin(journal))
            #expect(try JournalReader(world.store).end().state.epochs == process)
            // Once more does nothing.
            #expect(app.begin(journal))
            journal.close()
            app.close()
            #expect(try JournalReader(world.store).end().state.epochs == process)
        }
    }
}
