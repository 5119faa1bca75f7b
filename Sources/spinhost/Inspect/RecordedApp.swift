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
        enum Item {
            case step(PastStep)
            /// A line of the log.
            case damage(JournalError)
        }

        let watch: ControlWatch
        let filter: StepFilter?
        var queue = LineQueue<Item> { if case .damage = $0 { true } else { false } }
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

    let file: String
    /// Rung when clients hear of something new.
    let bell = ControlBell()
    let shared: Lock<Shared>
    /// Where the journal is read that the app writes; used on the thread that looks only.
    private let reader: JournalReader
    let waiting = DispatchQueue(label: "spinhost.inspect.journal", attributes: .concurrent)

    /// - Parameter store: of the same file, open for reading.
    /// - Throws: `JournalError` when the journal cannot be read.
    init(_ file: String, _ store: SQLiteStore) throws(JournalError) {
        self.file = file
        reader = JournalReader(store)
        shared = Lock(Shared(end: try reader.end()))
    }

    /// Reads what was written since the last look.
    func look() {
        var point = shared.withLock { $0.end }
        guard point.damage == nil else { return }
        let before = point.chunks
        var (steps, lost): ([PastStep], Int) = ([], 0)
        let most = LineQueue<Watch.Item>.mostWaiting
        do {
            try reader.read(into: &point, upTo: .max) { placed, state in
                if let step = PastStep(placed, state) { steps.append(step) }
                guard steps.count == 2 * most else { return }
                steps.removeFirst(most)
                lost += most
            }
        } catch { point.damage = error }
        guard point.chunks > before || point.damage != nil else { return }
        shared.withLock { [point, steps, lost] in $0.take(point, steps, lost: lost) }
        bell.ring()
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

    func fields(of query: ControlQuery) throws(ControlFault) -> [(String, Value)] {
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
        event: String, to place: ControlRequest.Place, _ content: ControlRequest.Content
    ) throws(ControlFault) -> Value { throw Self.recorded }

    func sendDurably(
        event: String, to place: ControlRequest.Place, _ content: ControlRequest.Content,
        answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) throws(ControlFault) { throw Self.recorded }

    /// A journal has no loops with a key.
    func key(of place: ControlRequest.Place) throws(ControlFault) -> Value? {
        guard place.key == nil else {
            throw ControlFault(
                .keyNotTaken, "the loops of a journal have no keys", help: ["leave out the key"])
        }
        return nil
    }

    func swap(plugin: String, answer: @escaping @Sendable (Value?) -> Void) { answer(Self.recorded.answer) }

    func reload(answer: @escaping @Sendable (Value) -> Void) { answer(Self.recorded.answer) }

    func metrics() -> Value { .record([("ok", .bool(true)), ("metrics", .list([]))]) }
}

extension RecordedApp.Shared {
    /// The journal has grown, or is damaged.
    ///
    /// - Parameter lost: how many steps came before these and were not kept.
    fileprivate mutating func take(_ point: JournalReader.Point, _ steps: [PastStep], lost: Int) {
        end = point
        hasActivity = true
        let names = point.state.epoch?.schema.loops.map(\.name) ?? []
        changed = Set(names.indices)
        for client in watches.keys {
            let (watch, filter) = (watches[client]!.watch, watches[client]!.filter)
            if watch.kinds.contains(.steps) {
                let wanted = steps.filter { step in
                    (watch.loop == nil || watch.loop == step.loop) && filter?.holds(step) ?? true
                }
                watches[client]!.queue.add(wanted.map { .step($0) }, lost: lost)
            }
            // Nothing is read after damage, so each client hears of it once.
            if let damage = point.damage, watch.kinds.contains(.log) {
                watches[client]!.queue.add([.damage(damage)])
            }
        }
    }
}
