import App
import Diagnostics
import Foundation
import HostLoop
import Journal
import Manifest
import Records
import TestSupport

/// Runs of one manifest over a journal in memory, one after the other, as processes that end without a word.
final class JournalWorld {
    let folder: TemporaryFolder
    let manifest: Manifest
    let store: MemoryStore

    /// - Parameters:
    ///   - text: the manifest without the journal, in which `library` is `./lib.so`.
    ///   - library: the source of the library.
    ///   - journal: more keys of `[app.journal]`.
    init(
        _ text: String, library: String? = nil, journal: String = "durable = \"every-step\"",
        store: MemoryStore? = nil
    ) throws {
        folder = try TemporaryFolder()
        manifest = try RecordedRun.manifest(
            "[app.journal]\nfile = \"run.journal\"\n\(journal)\n" + text, library: library, in: folder)
        self.store =
            store
            ?? MemoryStore(
                header: JournalHeader(id: String(repeating: "a", count: 32), app: "test", created: 0))
    }

    /// An app whose effects print to `record`.
    func app(_ record: RecordedRun, clock: any LoopClock = ContinuousLoopClock()) throws -> App {
        try App(
            manifest, clock: clock, log: { record.log($0) }, output: { record.print($0) },
            workerProgram: WorkerMode.program)
    }

    /// Opens a journal, as a new process does.
    func journal(_ store: MemoryStore) throws -> AppJournal {
        try AppJournal(
            store, of: manifest, AppJournal.Host(version: "0", manifest: "app.toml"),
            as: manifest.journal!, reading: { store })
    }

    /// Runs to the end.
    func run(_ store: MemoryStore? = nil, _ record: RecordedRun = RecordedRun()) async throws -> (
        RecordedRun, AppEnd
    ) {
        let app = try app(record)
        defer { app.close() }
        let run = app.makeRun(observer: record, journal: try journal(store ?? self.store))
        run.start()
        return (record, await run.finished())
    }

    /// The states of the loops that a journal has at its end, as JSON.
    static func states(_ store: MemoryStore) throws -> [String: String] {
        let end = try JournalReader(store).end()
        let names = end.state.epoch?.schema.loops.map(\.name) ?? []
        return Dictionary(uniqueKeysWithValues: zip(names, end.state.loops.map { $0.state.value.json }))
    }
}
