import App
import HostLoopTesting
import Journal
import TestSupport

/// An app of the world that runs with a clock of its own, and ends without a word.
struct JournalProcess {
    let record = RecordedRun()
    let clock = ManualClock()
    let app: App
    let run: AppRun
    let port: AppPort

    init(_ world: JournalWorld, _ store: MemoryStore, countsFromStart: Bool = false) throws {
        app = try App(
            world.manifest, clock: clock, log: { [record] in record.log($0) },
            output: { [record] in record.print($0) }, workerProgram: WorkerMode.program)
        port = AppPort(world.manifest, countsFromStart: countsFromStart, statesCame: {})
        run = app.makeRun(observer: record, port: port, journal: try world.journal(store))
        run.start()
    }

    /// Ends the process, and answers what its journal had before.
    func killed(_ store: MemoryStore) async -> MemoryStore {
        let left = store.reopened()
        run.stop()
        _ = await run.finished()
        app.close()
        return left
    }

    /// Waits until the journal says that the feedbacks have seen the last state, and that so many runs are open.
    static func isKnown(_ open: [Int], in store: MemoryStore) async throws {
        try await waitUntil {
            let past = try JournalReader(store.reopened()).end().state.loops.first
            return past?.isDelivered == true && past?.feedbacks.map(\.open.count) == open
        }
    }
}
