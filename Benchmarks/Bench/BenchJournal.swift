import App
import Glibc
import Journal
import Manifest

/// A journal of a benchmark's app, in a file that goes with it.
final class BenchJournal {
    let path: String
    private let manifest: Manifest

    init(of app: App, in folder: String) {
        (path, manifest) = ("\(folder)/bench-\(UInt32.random(in: 0 ... .max)).journal", app.manifest)
    }

    deinit {
        for file in [path, "\(path)-wal", "\(path)-shm", "\(path)-lock"] {
            // Safe because the path is borrowed for the call.
            unsafe _ = unlink(file)
        }
    }

    /// A manifest with a journal, and a loop that counts to `steps`: an effect makes each number of the one before.
    ///
    /// - Parameters:
    ///   - keys: more keys of `[app.journal]`.
    ///   - state: more fields of the state, after a comma.
    ///   - set: what a step gives these fields, after a comma.
    static func manifest(
        _ plugins: String, _ keys: String, steps: Int, state: String = "", set: String = ""
    ) -> String {
        """
        app.name = "bench"
        [app.journal]
        file = "bench.journal"
        \(keys)
        [plugins.step]
        library = "\(plugins)/step.so"
        [loops.count]
        state  = { n = 0, limit = \(steps)\(state) }
        events = { moved = { to = "int" } }
        until  = "state.n == state.limit"
        on.moved = { set = { n = "event.to"\(set) } }
        [loops.count.feedback.step]
        effect = "step:step_toward"
        args   = ["state.n", "state.limit"]
        emit   = { event = "moved", to = "result" }

        """
    }

    /// Opens the file for a run, and makes it first if it is missing.
    func open() throws -> (journal: AppJournal, store: SQLiteStore) {
        let header = JournalHeader(id: String(repeating: "0", count: 32), app: "bench", created: 0)
        let store = try SQLiteStore(path: path, .write(create: header, durability: .full))
        let journal = try AppJournal(
            store, of: manifest, AppJournal.Host(version: "bench", manifest: "bench"), as: manifest.journal!,
            reading: { [path] () throws(JournalError) in try SQLiteStore(path: path, .read) })
        return (journal, store)
    }

    /// Opens the file to read it.
    func reader() throws -> JournalReader { JournalReader(try SQLiteStore(path: path, .read)) }

    /// Has the system forget the pages of the file that it keeps in memory.
    func forgetPages() throws {
        // Safe because the path is borrowed for the call.
        let file = unsafe Glibc.open(path, O_RDONLY)
        guard file >= 0, fdatasync(file) == 0, posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
            throw BenchFault("the pages of `\(path)` cannot be dropped")
        }
        close(file)
    }
}
