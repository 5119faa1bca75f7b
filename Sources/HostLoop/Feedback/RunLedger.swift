/// The runs of a loop that other threads may speak for: pending ones, and calls that execute elsewhere.
///
/// Plain data behind the lock of the inbox. A synchronous run on the loop's own executor never enters it.
@usableFromInline
struct RunLedger: Sendable {
    @usableFromInline typealias Handler = CancelHandler

    /// What a run has left with the loop.
    @usableFromInline
    struct Record: Sendable {
        /// Calls of the effect that execute elsewhere.
        var calls = 0
        /// The effect returned and goes on.
        var isPending = false
        /// `finish` or `fail` came while a call executed: the run ends when that returns.
        var isFinished = false
        var error: (any Error)?
        var isCancelled = false
        /// While no call executes it waits for messages, which does not keep the loop running.
        var onlyReceives = false
        var handlers: [Handler] = []

        /// Whether more may come of the run by itself.
        var isLive: Bool { !isCancelled && !(onlyReceives && calls == 0) }
    }

    /// What was said of a run while its call still executes on the loop's executor, where it has no record
    /// yet.
    private struct Early: Sendable {
        let number: UInt64
        var record: Record
    }

    @usableFromInline
    enum Outcome: Sendable {
        /// The run goes on, or ended before; uncaught `error` of a call that does not end it.
        case goesOn(error: (any Error)? = nil)
        /// The run has ended by itself; uncaught `error`.
        case ended(error: (any Error)?)
    }

    /// Whether a run may be called again.
    enum Readiness: Sendable {
        case over
        /// A call of it executes elsewhere.
        case calling
        case ready
    }

    private var records: [RunKey: Record] = [:]
    private var early: [Int32: Early] = [:]
    /// Records that are done with but hold what users gave: to be released outside the lock, since that may
    /// run anything.
    private var leftover: [Record] = []
    /// Runs that a stop has cancelled, until observers are told.
    private(set) var cancelledByStop: [RunKey] = []
    /// What to call when the loop has stopped and no record is left.
    @usableFromInline var ends: [@Sendable () -> Void] = []
    /// What can be cancelled by an id, once anybody has asked.
    var cancellationIDs: CancellationIDs?
    /// Events emitted by runs that were over.
    @usableFromInline var late: UInt64 = 0
    /// Events that were taken back with their runs.
    @usableFromInline var withdrawn: UInt64 = 0
    /// Events that were queued when the loop stopped.
    @usableFromInline var discarded: UInt64 = 0
    /// Events that came after the stop.
    @usableFromInline var refused: UInt64 = 0
    /// Records of which more may come by itself: not of cancelled ones, nor of those that wait for messages.
    @usableFromInline private(set) var live = 0

    /// Whether no run is pending or executes elsewhere.
    @usableFromInline var isOver: Bool { records.isEmpty }
    /// The runs with a record, cancelled ones included, in order.
    var keys: [RunKey] { records.keys.sorted { ($0.feedback, $0.number) < ($1.feedback, $1.number) } }

    @usableFromInline init() {}

    /// Whether an emission of the run counts.
    ///
    /// Changes nothing; but asked as a value the ledger would be copied, and each of its parts counted, with the lock held.
    @usableFromInline
    mutating func accepts(_ key: RunKey, whileCalling isCalling: Bool) -> Bool {
        guard let record = records[key] else {
            return isCalling
                && !(early[key.feedback].map { $0.number == key.number && $0.record.isFinished } ?? false)
        }
        return !record.isCancelled && !record.isFinished
    }

    /// Whether the run may be called again; its calls do not overlap.
    ///
    /// A call that is handed to another executor counts from here on, and its answer decides whether the run goes on.
    mutating func callAgain(_ key: RunKey, elsewhere: Bool) -> Readiness {
        guard var record = records[key], !record.isCancelled, !record.isFinished else { return .over }
        guard record.calls == 0 else { return .calling }
        if elsewhere {
            record.calls = 1
            record.isPending = false
            put(record, for: key)
        }
        return .ready
    }

    /// A call of the run is handed to another executor.
    mutating func callElsewhere(_ key: RunKey, isStopping: Bool, onlyReceives: Bool = false) {
        var record = records[key] ?? Record(onlyReceives: onlyReceives)
        if isStopping { record.isCancelled = true }
        record.calls += 1
        put(record, for: key)
    }

    /// A call that executed elsewhere has returned.
    mutating func returned(_ key: RunKey, _ status: EffectStatus, error: (any Error)?) -> Outcome {
        guard var record = records[key] else { return .goesOn() }
        record.calls -= 1
        if status == .pending { record.isPending = true }
        guard record.isFinished || !record.isPending, record.calls == 0 else {
            put(record, for: key)
            return .goesOn(error: error)
        }
        remove(key, record)
        return .ended(error: error ?? record.error)
    }

    /// A call on the loop's executor returned and its run goes on.
    /// - Returns: what became of it meanwhile, if `finish` or `fail` came before.
    @usableFromInline
    mutating func register(_ key: RunKey, isStopping: Bool, onlyReceives: Bool = false) -> Outcome {
        var record = takeEarly(key.feedback, number: key.number)
        if record.isFinished { return .ended(error: record.error) }
        (record.isPending, record.onlyReceives) = (true, onlyReceives)
        if isStopping { record.isCancelled = true }
        put(record, for: key)
        return .goesOn()
    }

    /// The run says that it is done.
    @usableFromInline
    mutating func finish(_ key: RunKey, error: (any Error)?, whileCalling isCalling: Bool) -> Outcome {
        guard var record = records[key] else {
            if isCalling { changeEarly(key) { ($0.isFinished, $0.error) = (true, error) } }
            return .goesOn()
        }
        guard !record.isFinished else { return .goesOn() }
        guard record.calls == 0 else {
            record.isFinished = true
            record.error = error
            put(record, for: key)
            return .goesOn()
        }
        remove(key, record)
        return .ended(error: error)
    }

    /// Keeps a handler for the run; false when the run is over or never was: nothing will cancel it.
    @usableFromInline
    mutating func keep(_ handler: Handler, for key: RunKey, whileCalling isCalling: Bool) -> Bool {
        if records[key] != nil {
            if let spent = records[key]?.handlers.add(handler) { leave(Record(handlers: spent)) }
            return true
        }
        if isCalling { changeEarly(key) { $0.handlers.append(handler) } }
        return isCalling
    }

    /// Forgets what was said of a run during a call after which it does not go on.
    @usableFromInline
    mutating func dropEarly(_ feedback: Int32) {
        if let known = early.removeValue(forKey: feedback) { leave(known.record) }
    }

    /// Cancels the run; answers the handlers to call, outside the lock, or nil when it is over already.
    @usableFromInline
    mutating func cancel(_ key: RunKey) -> [Handler]? {
        guard var record = records[key], !record.isCancelled else { return nil }
        record.isCancelled = true
        let handlers = record.handlers
        record.handlers = []
        put(record, for: key)
        return handlers
    }

    /// Cancels every run, also those whose calls execute; answers the handlers to call, outside the lock.
    mutating func cancelAll() -> [Handler] {
        cancelledByStop = keys.filter { records[$0]?.isCancelled == false }
        var handlers = cancelledByStop.flatMap { cancel($0) ?? [] }
        for feedback in early.keys.sorted() {
            handlers += early[feedback]?.record.handlers ?? []
            early[feedback]?.record.handlers = []
        }
        return handlers
    }

    /// Gives the records of some feedbacks away, as those of other ones: by the places of the former, those of the latter.
    mutating func takeRecords(of places: [Int32: Int32]) -> [RunKey: Record] {
        var taken: [RunKey: Record] = [:]
        for (key, record) in records {
            guard let place = places[key.feedback] else { continue }
            taken[RunKey(feedback: place, number: key.number)] = record
            records[key] = nil
            if record.isLive { live -= 1 }
        }
        return taken
    }

    /// Takes records that another ledger has given away.
    mutating func add(_ records: [RunKey: Record]) {
        for (key, record) in records { put(record, for: key) }
    }

    /// Goes on counting where another ledger is.
    mutating func addCounts(of other: RunLedger) {
        late += other.late
        withdrawn += other.withdrawn
        discarded += other.discarded
        refused += other.refused
    }

    /// The runs that a stop has cancelled; forgotten with the answer.
    mutating func takeCancelledByStop() -> [RunKey] {
        defer { cancelledByStop = [] }
        return cancelledByStop
    }

    /// What has to be released outside the lock.
    @usableFromInline
    mutating func takeLeftover() -> [Record] {
        guard !leftover.isEmpty else { return [] }
        defer { leftover = [] }
        return leftover
    }

    private mutating func changeEarly(_ key: RunKey, _ change: (inout Record) -> Void) {
        var record = takeEarly(key.feedback, number: key.number)
        change(&record)
        early[key.feedback] = Early(number: key.number, record: record)
    }

    private mutating func takeEarly(_ feedback: Int32, number: UInt64) -> Record {
        guard let known = early.removeValue(forKey: feedback) else { return Record() }
        guard known.number != number else { return known.record }
        leave(known.record)
        return Record()
    }

    /// Keeps a record in place of the one that is known.
    private mutating func put(_ record: Record, for key: RunKey) {
        let known = records.updateValue(record, forKey: key)
        live += (record.isLive ? 1 : 0) - (known?.isLive == true ? 1 : 0)
    }

    /// Forgets the run; `record` is what was kept of it, or newer.
    private mutating func remove(_ key: RunKey, _ record: Record) {
        if records.removeValue(forKey: key)?.isLive == true { live -= 1 }
        leave(record)
    }

    private mutating func leave(_ record: Record) {
        if !record.handlers.isEmpty || record.error != nil { leftover.append(record) }
    }
}
