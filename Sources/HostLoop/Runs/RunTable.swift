/// The runs of a loop that other threads can change: plain data behind the inbox's lock.
///
/// A synchronous run on the loop's own executor has a row only if another thread uses the run while its call
/// executes. A run without a row is idle or ended. A change may free values that users gave. It returns them,
/// and the caller releases them outside the lock, since a release may run any code.
@usableFromInline
struct RunTable: Sendable {
    /// Calls of a run on other executors.
    struct Calls: Sendable {
        var count: Int
        /// A call has returned `.pending`: the run must report its end.
        var isPending = false
        /// The run has reported its end while a call executed. It ends when that call returns.
        var isFinished = false
        var error: (any Error)?

        /// Whether the run has ended by itself.
        var isOver: Bool { count == 0 && (isFinished || !isPending) }
    }

    /// The phase of a run.
    enum Phase: Sendable {
        /// Its call executes on the loop's executor. `isFinished`: the run has reported its end already.
        case calling(isFinished: Bool, error: (any Error)?)
        /// No call executes, and the run has not reported its end.
        case pending
        /// Calls execute on another executor.
        case elsewhere(Calls)
        /// The run is cancelled. Calls may still execute, or the run must still report its end.
        case cancelled(Calls)
    }

    struct Row: Sendable {
        var phase: Phase
        /// While no call executes, the run only waits for messages. It does not keep the loop running then.
        var onlyReceives = false
        var handlers: [CancelHandler] = []

        /// Whether the run may emit or end by itself.
        var isLive: Bool {
            switch phase {
            case .calling, .cancelled: false
            case .pending: !onlyReceives
            case .elsewhere(let calls): !(onlyReceives && calls.count == 0)
            }
        }

        fileprivate var isCalling: Bool {
            if case .calling = phase { true } else { false }
        }

        /// The run has reported its end, and a call of it still executes.
        fileprivate var isFinished: Bool {
            switch phase {
            case .calling(let isFinished, _): isFinished
            case .pending: false
            case .elsewhere(let calls), .cancelled(let calls): calls.isFinished
            }
        }

        /// Whether the row keeps values that users gave.
        fileprivate var keepsValues: Bool {
            if !handlers.isEmpty { return true }
            switch phase {
            case .calling(_, let error): return error != nil
            case .pending: return false
            case .elsewhere(let calls), .cancelled(let calls): return calls.error != nil
            }
        }
    }

    /// Values that users gave for runs that have ended. The caller must release them outside the lock.
    @usableFromInline
    struct Released: Sendable {
        var rows: [Row] = []
        var handlers: [CancelHandler] = []

        @usableFromInline init() {}
    }

    @usableFromInline
    enum Outcome: Sendable {
        /// The run continues, or ended before. `error` is the uncaught error of a call that does not end the
        /// run.
        case continues(error: (any Error)? = nil)
        /// The run has ended by itself. `error` is its uncaught error.
        case ended(error: (any Error)?)
    }

    /// Whether a run may be called again.
    enum Readiness: Sendable {
        case over
        /// A call of it executes elsewhere.
        case calling
        case ready
    }

    private var rows: [RunKey: Row] = [:]
    /// The number of rows of runs whose call executes on the loop's executor, or has just returned.
    @usableFromInline private(set) var callingRows = 0
    /// The number of live rows.
    @usableFromInline private(set) var live = 0

    /// Whether no run is pending or executes elsewhere.
    @usableFromInline var isOver: Bool { rows.count == callingRows }

    /// The runs that are pending or execute elsewhere, including cancelled ones, in order.
    var keys: [RunKey] {
        rows.filter { !$0.value.isCalling }.keys.sorted {
            ($0.feedback, $0.number) < ($1.feedback, $1.number)
        }
    }

    @usableFromInline init() {}

    // MARK: - Any thread

    /// Whether the loop accepts an emission of the run.
    /// - Parameter isCalling: Whether the run's call executes on the loop's executor now.
    // It is `mutating` although it changes nothing: a method that does not mutate would copy the table, with
    // the lock held.
    @usableFromInline
    mutating func accepts(_ key: RunKey, whileCalling isCalling: Bool) -> Bool {
        switch rows[key]?.phase {
        case nil: isCalling
        case .calling(let isFinished, _): isCalling && !isFinished
        case .pending: true
        case .elsewhere(let calls): !calls.isFinished
        case .cancelled: false
        }
    }

    /// Notes that the run reports its end.
    @usableFromInline
    mutating func finish(
        _ key: RunKey, error: (any Error)?, whileCalling isCalling: Bool, _ released: inout Released
    ) -> Outcome {
        guard var row = rows[key] else {
            if isCalling { put(Row(phase: .calling(isFinished: true, error: error)), for: key) }
            return .continues()
        }
        guard !row.isFinished else { return .continues() }
        switch row.phase {
        case .calling:
            guard isCalling else { return .continues() }
            row.phase = .calling(isFinished: true, error: error)
        case .pending:
            remove(key, row, &released)
            return .ended(error: error)
        case .elsewhere(var calls):
            (calls.isFinished, calls.error) = (true, error)
            row.phase = .elsewhere(calls)
        case .cancelled(var calls):
            (calls.isFinished, calls.error) = (true, error)
            guard calls.count > 0 else {
                remove(key, row, &released)
                return .ended(error: error)
            }
            row.phase = .cancelled(calls)
        }
        // Nothing cancels a run that has finished.
        released.handlers += row.handlers
        row.handlers = []
        put(row, for: key)
        return .continues()
    }

    /// Keeps a handler for the run. If the run has finished, it drops the handler, as nothing can cancel the
    /// run any more.
    @usableFromInline
    mutating func keep(
        _ handler: CancelHandler, for key: RunKey, whileCalling isCalling: Bool, _ released: inout Released
    ) {
        guard let row = rows[key] else {
            if isCalling {
                put(Row(phase: .calling(isFinished: false, error: nil), handlers: [handler]), for: key)
            }
            return
        }
        if row.isFinished || row.isCalling && !isCalling { return }
        if let expired = rows[key]?.handlers.add(handler) { released.handlers += expired }
    }

    /// Notes that a call on another executor has returned.
    mutating func returned(
        _ key: RunKey, _ status: EffectStatus, error: (any Error)?, _ released: inout Released
    ) -> Outcome {
        guard var row = rows[key] else { return .continues() }
        var calls: Calls
        switch row.phase {
        case .elsewhere(let known), .cancelled(let known): calls = known
        case .calling, .pending: return .continues(error: error)
        }
        calls.count -= 1
        if status == .pending { calls.isPending = true }
        guard !calls.isOver else {
            remove(key, row, &released)
            return .ended(error: error ?? calls.error)
        }
        if case .cancelled = row.phase {
            row.phase = .cancelled(calls)
        } else {
            row.phase = calls.count == 0 ? .pending : .elsewhere(calls)
        }
        put(row, for: key)
        return .continues(error: error)
    }

    /// Cancels every run, including a run whose call executes.
    /// - Returns: The runs that are pending or execute elsewhere, and the handlers, which the caller must
    ///   call outside the lock.
    mutating func cancelAll() -> (keys: [RunKey], handlers: [CancelHandler]) {
        let cancelled = keys.filter { key in
            if case .cancelled? = rows[key]?.phase { false } else { true }
        }
        var handlers = cancelled.flatMap { cancel($0) ?? [] }
        for (key, row) in rows {
            guard row.isCalling else { continue }
            handlers += row.handlers
            rows[key]?.handlers = []
        }
        return (cancelled, handlers)
    }

    // MARK: - The draining thread

    /// Notes that a call on the loop's executor has returned and its run continues.
    /// - Returns: The run's end, if the run has reported it meanwhile.
    @usableFromInline
    mutating func register(
        _ key: RunKey, isStopping: Bool, onlyReceives: Bool = false, _ released: inout Released
    ) -> Outcome {
        var row = rows[key] ?? Row(phase: .pending)
        if case .calling(isFinished: true, let error) = row.phase {
            remove(key, row, &released)
            return .ended(error: error)
        }
        row.onlyReceives = onlyReceives
        row.phase = isStopping ? .cancelled(Calls(count: 0, isPending: true)) : .pending
        put(row, for: key)
        return .continues()
    }

    /// Removes the runs whose call on the loop's executor has returned and ended them.
    @usableFromInline
    mutating func removeCalling(_ released: inout Released) {
        guard callingRows > 0 else { return }
        for (key, row) in rows where row.isCalling { remove(key, row, &released) }
    }

    /// Whether the loop may call the run again. The calls of a run do not overlap.
    ///
    /// From here on, a call on another executor counts as executing, and its result decides whether the run
    /// continues.
    mutating func callAgain(_ key: RunKey, elsewhere: Bool) -> Readiness {
        guard var row = rows[key] else { return .over }
        switch row.phase {
        case .calling, .cancelled: return .over
        case .elsewhere(let calls): return calls.isFinished ? .over : .calling
        case .pending:
            if elsewhere {
                row.phase = .elsewhere(Calls(count: 1))
                put(row, for: key)
            }
            return .ready
        }
    }

    /// Notes that the loop hands a call of the run to another executor.
    mutating func callElsewhere(_ key: RunKey, isStopping: Bool, onlyReceives: Bool = false) {
        var row = rows[key] ?? Row(phase: .elsewhere(Calls(count: 0)), onlyReceives: onlyReceives)
        var calls: Calls
        switch row.phase {
        case .elsewhere(let known), .cancelled(let known): calls = known
        case .pending: calls = Calls(count: 0, isPending: true)
        case .calling(let isFinished, let error):
            calls = Calls(count: 0, isFinished: isFinished, error: error)
        }
        calls.count += 1
        if case .cancelled = row.phase {
            row.phase = .cancelled(calls)
        } else {
            row.phase = isStopping ? .cancelled(calls) : .elsewhere(calls)
        }
        put(row, for: key)
    }

    /// Cancels the run. Returns the handlers, which the caller must call outside the lock, or nil when the
    /// run has ended already.
    @usableFromInline
    mutating func cancel(_ key: RunKey) -> [CancelHandler]? {
        guard var row = rows[key] else { return nil }
        switch row.phase {
        case .calling, .cancelled: return nil
        case .pending: row.phase = .cancelled(Calls(count: 0, isPending: true))
        case .elsewhere(let calls): row.phase = .cancelled(calls)
        }
        let handlers = row.handlers
        row.handlers = []
        put(row, for: key)
        return handlers
    }

    // MARK: - Succession

    /// Removes and returns the rows of some feedbacks, for the successor.
    /// - Parameter indices: The new index of each feedback, by its old index.
    mutating func takeRows(of indices: [Int32: Int32]) -> [RunKey: Row] {
        var taken: [RunKey: Row] = [:]
        for (key, row) in rows {
            guard let index = indices[key.feedback] else { continue }
            taken[RunKey(feedback: index, number: key.number)] = row
            forget(key)
        }
        return taken
    }

    /// Adds rows from another table.
    mutating func add(_ rows: [RunKey: Row]) {
        for (key, row) in rows { put(row, for: key) }
    }

    // MARK: - Rows

    private mutating func put(_ row: Row, for key: RunKey) {
        let known = rows.updateValue(row, forKey: key)
        live += (row.isLive ? 1 : 0) - (known?.isLive == true ? 1 : 0)
        callingRows += (row.isCalling ? 1 : 0) - (known?.isCalling == true ? 1 : 0)
    }

    private mutating func remove(_ key: RunKey, _ row: Row, _ released: inout Released) {
        forget(key)
        if row.keepsValues { released.rows.append(row) }
    }

    private mutating func forget(_ key: RunKey) {
        guard let known = rows.removeValue(forKey: key) else { return }
        if known.isLive { live -= 1 }
        if known.isCalling { callingRows -= 1 }
    }
}
