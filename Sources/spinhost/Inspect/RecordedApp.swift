import Control
import Diagnostics
import Dispatch
import HostLoop
import Journal
import Records

/// A journal for the clients of a control socket: they see the app that it records, and nothing runs.
///
/// An app may write the journal meanwhile. May be used from any thread.
final class RecordedApp: PastTarget {
    /// What a client hears of, while the journal grows.
    struct Watch {
        let watch: ControlWatch
        let filter: StepFilter?
        var lines: ArraySlice<String> = []
        var skipped = 0
    }

    struct Shared {
        /// What the journal says at its end.
        var end: JournalReader.Point
        /// By the numbers of clients.
        var watches: [Int: Watch] = [:]
        /// By loop: how many clients want its states.
        var followed: [Int: Int] = [:]
        /// The loops that have other states since `takeStates`.
        var changed: Set<Int> = []
        var hasActivity = false
    }

    /// So many lines wait for a client at most.
    static let mostWaiting = 1000

    let file: String
    let shared: Lock<Shared>
    /// Where the journal is read that the app writes; used on the thread that looks only.
    private let reader: JournalReader
    private let waiting = DispatchQueue(label: "spinhost.inspect.journal", attributes: .concurrent)

    /// - Parameter store: of the same file, open for reading.
    /// - Throws: `JournalError` when the journal cannot be read.
    init(_ file: String, _ store: SQLiteStore) throws(JournalError) {
        self.file = file
        reader = JournalReader(store)
        shared = Lock(Shared(end: try reader.end()))
    }

    /// Reads what was written since the last look.
    ///
    /// - Returns: whether clients hear of something new.
    func look() -> Bool {
        var point = shared.withLock { $0.end }
        guard point.damage == nil else { return false }
        let before = point.chunks
        var steps: [PastStep] = []
        do {
            try reader.read(into: &point, upTo: .max) { placed, state in
                if let step = PastStep(placed, state) { steps.append(step) }
                if steps.count > 2 * Self.mostWaiting { steps.removeFirst(Self.mostWaiting) }
            }
        } catch { point.damage = error }
        guard point.chunks > before || point.damage != nil else { return false }
        shared.withLock { [point, steps] in $0.take(point, steps) }
        return true
    }

    func withPast<Answer>(_ body: (any RunPast) throws -> Answer) throws(ControlFault) -> Answer {
        do {
            let store = try SQLiteStore(path: file, .read)
            defer { store.close() }
            return try body(JournalPast(reader: JournalReader(store)))
        } catch let fault as ControlFault {
            throw fault
        } catch {
            throw ControlFault(
                .journalFailed, "`\(file)` cannot be read there: \(error)",
                help: ["`spinhost journal verify` says up to where it is good"])
        }
    }

    func answer(
        _ query: ControlQuery, answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) {
        waiting.async { [self] in
            do throws(ControlFault) {
                answer(.success(.record([("ok", .bool(true))] + (try fields(of: query)))))
            } catch { answer(.failure(error)) }
        }
    }

    private func fields(of query: ControlQuery) throws(ControlFault) -> [(String, Value)] {
        switch query {
        case .graph: return [("app", .string(file))] + Graph(schema).fields
        case .plugins: return [("plugins", .list(plugins))]
        case .runs(let loop): return [("runs", .list(try runs(of: loop)))]
        case .steps(let steps): return [("steps", .list(try past(steps)))]
        case .at(let place): return try states(at: place)
        case .diff(let from, let to): return try differences(from, to)
        case .export(let form, let loop, let from, let to): return try exported(form, loop, from, to)
        case .why, .fork: throw Self.recorded
        }
    }

    var schema: AppSchema {
        shared.withLock { $0.end.state.epoch?.schema } ?? AppSchema(loops: [], gears: [])
    }

    var loopNames: [String] { schema.loops.map(\.name) }

    func loops(named name: String?) throws(ControlFault) -> [Int] {
        let names = loopNames
        guard let name else { return Array(names.indices) }
        guard let index = names.firstIndex(of: name) else {
            throw ControlFault(
                .unknownLoop, "the journal has no loop `\(name)`", of: name, among: names, called: "its loops"
            )
        }
        return [index]
    }

    // MARK: - What only a running app can do

    static let recorded = ControlFault(
        .recorded, "this is a journal, and no app runs here",
        help: ["`spinhost run --journal FILE --inspect` continues the app, with a page"])

    func send(
        event: String, loop: String?, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value { throw Self.recorded }

    func sendDurably(
        event: String, loop: String?, _ content: ControlRequest.Content,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) throws(ControlFault) { throw Self.recorded }

    func swap(plugin: String, answer: @escaping @Sendable (Value?) -> Void) { answer(Self.recorded.answer) }

    func reload(answer: @escaping @Sendable (Value) -> Void) { answer(Self.recorded.answer) }

    func metrics() -> Value { .record([("ok", .bool(true)), ("metrics", .list([]))]) }
}

extension RecordedApp.Shared {
    /// The journal has grown, or is damaged.
    fileprivate mutating func take(_ point: JournalReader.Point, _ steps: [PastStep]) {
        let isDamaged = point.damage != nil && end.damage == nil
        end = point
        let names = point.state.epoch?.schema.loops.map(\.name) ?? []
        for step in steps { if let loop = names.firstIndex(of: step.loop) { changed.insert(loop) } }
        hasActivity = true
        for client in watches.keys {
            guard var watch = watches[client] else { continue }
            if watch.watch.kinds.contains(.steps) {
                watch.lines += steps.filter { step in
                    (watch.watch.loop == nil || watch.watch.loop == step.loop)
                        && watch.filter?.holds(step) ?? true
                }.map { Value.record([("step", $0.json)]).json }
            }
            if isDamaged, watch.watch.kinds.contains(.log), let damage = point.damage {
                let log: [(String, Value)] = [
                    ("time", .string(JournalTime.universal(JournalTime.now))), ("level", .string("error")),
                    ("text", .string("the journal cannot be read any further: \(damage)")),
                ]
                watch.lines.append(Value.record([("log", .record(log))]).json)
            }
            let excess = max(0, watch.lines.count - RecordedApp.mostWaiting)
            watch.skipped += excess
            watch.lines = watch.lines.dropFirst(excess)
            watches[client] = watch
        }
    }
}
