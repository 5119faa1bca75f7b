/// The runs of a loop that other threads may speak for: pending ones, and calls that execute elsewhere.
///
/// Plain data behind the lock of the inbox. A synchronous run on the loop's own executor never enters it.
@usableFromInline
struct RunLedger: Sendable {
    @usableFromInline typealias Handler = @Sendable () -> Void

    private struct Record: Sendable {
        /// Calls of the effect that execute elsewhere.
        var calls = 0
        /// The effect returned and goes on.
        var isPending = false
        /// `finish` or `fail` came while a call executed: the run ends when that returns.
        var isFinished = false
        var error: (any Error)?
        var isCancelled = false
        var handlers: [Handler] = []
    }

    /// What was said of a run while its call still executes on the loop's executor, where it has no record
    /// yet.
    private struct Early: Sendable {
        let number: UInt64
        var record = Record()
    }

    @usableFromInline
    enum Outcome: Sendable {
        /// The run goes on, or ended before; uncaught `error` of a call that does not end it.
        case goesOn(error: (any Error)? = nil)
        /// The run has ended by itself; uncaught `error`.
        case ended(error: (any Error)?)
    }

    private var records: [RunKey: Record] = [:]
    private var early: [Int32: Early] = [:]
    /// Records that are not cancelled.
    @usableFromInline private(set) var live = 0

    var isEmpty: Bool { records.isEmpty }
    /// The runs with a record, cancelled ones included, in order.
    var keys: [RunKey] { records.keys.sorted { ($0.feedback, $0.number) < ($1.feedback, $1.number) } }

    @usableFromInline init() {}

    /// Whether an emission of the run counts.
    @usableFromInline
    func accepts(_ key: RunKey, whileCalling isCalling: Bool) -> Bool {
        guard let record = records[key] else {
            return isCalling
                && !(early[key.feedback].map { $0.number == key.number && $0.record.isFinished } ?? false)
        }
        return !record.isCancelled && !record.isFinished
    }

    /// A call of the run is handed to another executor.
    mutating func callElsewhere(_ key: RunKey, isStopping: Bool) {
        var record = records[key] ?? Record()
        if isStopping { record.isCancelled = true } else if records[key] == nil { live += 1 }
        record.calls += 1
        records[key] = record
    }

    /// A call that executed elsewhere has returned.
    mutating func returned(_ key: RunKey, _ status: EffectStatus, error: (any Error)?) -> Outcome {
        guard var record = records[key] else { return .goesOn() }
        record.calls -= 1
        if status == .pending { record.isPending = true }
        guard record.isFinished || !record.isPending, record.calls == 0 else {
            records[key] = record
            return .goesOn(error: error)
        }
        remove(key, record)
        return .ended(error: error ?? record.error)
    }

    /// A call on the loop's executor returned and its run goes on.
    /// - Returns: what became of it meanwhile, if `finish` or `fail` came before.
    mutating func register(_ key: RunKey, isStopping: Bool) -> Outcome {
        var record = Record()
        if let known = early.removeValue(forKey: key.feedback), known.number == key.number {
            record = known.record
        }
        if record.isFinished { return .ended(error: record.error) }
        record.isPending = true
        if isStopping { record.isCancelled = true } else { live += 1 }
        records[key] = record
        return .goesOn()
    }

    /// The run says that it is done.
    mutating func finish(_ key: RunKey, error: (any Error)?, whileCalling isCalling: Bool) -> Outcome {
        guard var record = records[key] else {
            if isCalling { changeEarly(key) { ($0.isFinished, $0.error) = (true, error) } }
            return .goesOn()
        }
        guard !record.isFinished else { return .goesOn() }
        guard record.calls == 0 else {
            record.isFinished = true
            record.error = error
            records[key] = record
            return .goesOn()
        }
        remove(key, record)
        return .ended(error: error)
    }

    /// Keeps a handler for the run; false when the run is over or never was: nothing will cancel it.
    mutating func keep(_ handler: @escaping Handler, for key: RunKey, whileCalling isCalling: Bool) -> Bool {
        if records[key] != nil {
            records[key]?.handlers.append(handler)
            return true
        }
        if isCalling { changeEarly(key) { $0.handlers.append(handler) } }
        return isCalling
    }

    /// Forgets what was said of a run during a call after which it does not go on.
    mutating func dropEarly(_ feedback: Int32) {
        early[feedback] = nil
    }

    /// Cancels the run; answers the handlers to call, outside the lock, or nil when it is over already.
    mutating func cancel(_ key: RunKey) -> [Handler]? {
        guard var record = records[key], !record.isCancelled else { return nil }
        record.isCancelled = true
        live -= 1
        let handlers = record.handlers
        record.handlers = []
        records[key] = record
        return handlers
    }

    /// Cancels every run, also those whose calls execute; answers which those with a record are, and the
    /// handlers to call, outside the lock.
    mutating func cancelAll() -> (keys: [RunKey], handlers: [Handler]) {
        let keys = keys.filter { records[$0]?.isCancelled == false }
        var handlers = keys.flatMap { cancel($0) ?? [] }
        for feedback in early.keys.sorted() {
            handlers += early[feedback]?.record.handlers ?? []
            early[feedback]?.record.handlers = []
        }
        return (keys, handlers)
    }

    private mutating func changeEarly(_ key: RunKey, _ change: (inout Record) -> Void) {
        var known = early[key.feedback] ?? Early(number: key.number)
        if known.number != key.number { known = Early(number: key.number) }
        change(&known.record)
        early[key.feedback] = known
    }

    private mutating func remove(_ key: RunKey, _ record: Record) {
        records[key] = nil
        if !record.isCancelled { live -= 1 }
    }
}
