public import Records

/// What a journal says of a loop up to a point.
public struct LoopPast: Sendable {
    /// A run that has not ended, or a request that waits.
    public struct OpenRun: Sendable {
        /// The run's number among those of its feedback; 0 for a request that has none yet.
        public var number: UInt64
        /// The number of the state that it was begun for.
        public var step: UInt64
        /// Events that it emitted in its call, which has ended it, and which are not reduced; nil: it continues.
        public var events: Int?
        /// For a feedback on events: the state and the event that it was begun for.
        public var cause: Cause?
        /// The number of the epoch that its key names: in which the state was made that it was begun for.
        public var epoch: Int
        /// Whether an earlier process has begun it or asked for it, and this process has not done so again.
        public var isFromBefore = false
    }

    /// The state and the event that a run was begun for.
    public struct Cause: Sendable {
        /// The state after the event, in the type of the epoch in which it was made.
        public let state: Record
        /// The event, an index into the schema's events.
        public let event: Int
        /// Its fields.
        public let payload: Record
    }

    /// A step before the last one that the feedbacks may not have seen.
    public struct UnseenStep: Sendable {
        /// The state in the type of its epoch, and the event that made it.
        public let cause: Cause
        /// The number of the state.
        public let step: UInt64
        /// The position of its entry.
        public let position: UInt64
        /// The number of the epoch in which it was made.
        public let epoch: Int
        /// The feedbacks that have seen it, by their indices.
        public var seenBy: Set<Int> = []
    }

    /// What is known of a feedback.
    public struct FeedbackPast: Sendable {
        /// The number of its last run.
        public var latest: UInt64 = 0
        /// Its runs that have not ended, in the order of their causes.
        public var open: [OpenRun] = []
        /// Its requests that wait, in order.
        public var waiting: [OpenRun] = []
        /// One more than the number of the last state for which it has begun a run or asked for one; 0: none.
        public var seen: UInt64 = 0
        /// For a delay: whether its time is over, and the loop has not entered the case again. `seen` is not used then.
        public internal(set) var isOver: Bool {
            get { seen == .max }
            set { seen = newValue ? .max : 0 }
        }
        /// For a receiver: messages that are not reduced, by their positions, with the number of their events.
        public var messages: [(position: UInt64, events: Int)] = []
        /// The run that ended last, with the number of the state that it was begun for. Snapshots do not have it: it
        /// explains the entry that ended the run.
        public var ended: (number: UInt64, step: UInt64)?
        /// For a receiver: the position of the message that was reduced last, for the same purpose.
        public var received: UInt64?

        /// The number of the state that a run was begun for, if it is open or ended last.
        public func beginning(ofRun number: UInt64) -> UInt64? {
            open.first { $0.number == number }?.step ?? ended.flatMap { $0.number == number ? $0.step : nil }
        }
    }

    /// The loop's index in the schema.
    public let index: Int
    /// Whether the loop has begun, in this epoch or in an earlier one.
    public internal(set) var hasBegun = false
    /// Whether it has begun in this epoch. If it has not, its state has the type of an earlier epoch.
    public internal(set) var isCurrent = false
    /// Its state.
    public internal(set) var state: Record
    /// The number of its state.
    public internal(set) var step: UInt64 = 0
    /// The position of the entry that made the state.
    public internal(set) var position: UInt64 = 0
    /// The number of the epoch in which the state was made.
    public internal(set) var epoch = 0
    /// The time of its last entry: nanoseconds since 1970-01-01T00:00:00Z.
    public internal(set) var time: Int64 = 0
    /// When its case was entered.
    public internal(set) var entered: Int64 = 0
    /// Whether the feedbacks have seen the state, and the notes of that are complete.
    public internal(set) var isDelivered = false
    /// Steps before the last one that the feedbacks have not seen, in order.
    public internal(set) var preceding: ArraySlice<UnseenStep> = []
    /// The same of an earlier process.
    public internal(set) var unseen: [UnseenStep] = []
    /// The event that made the state; nil for the first state.
    public internal(set) var event: Int?
    /// Whether the loop has ended; true for its `until`.
    public internal(set) var end: Bool?
    /// By the index of the feedback.
    public internal(set) var feedbacks: [FeedbackPast]

    /// Whether the next step leaves the steps before it unseen.
    var precedes = false
    // The fields of the last event, and memory for the next ones, by event.
    var payloads: [Record]

    init(_ schema: LoopSchema, index: Int) {
        self.index = index
        state = Record(schema.state)
        feedbacks = schema.feedbacks.map { _ in FeedbackPast() }
        payloads = schema.events.map { Record($0.type) }
    }

    /// Takes what is known of a loop of an earlier epoch, except its event and its feedbacks.
    mutating func inherit(_ before: LoopPast) {
        (hasBegun, state, step, position) = (before.hasBegun, before.state, before.step, before.position)
        (time, entered, isDelivered, end) = (before.time, before.entered, before.isDelivered, before.end)
        epoch = before.epoch
    }

    /// The loop enters a case, so its delays begin.
    mutating func enter(at time: Int64) {
        entered = time
        for index in feedbacks.indices where feedbacks[index].isOver { feedbacks[index].isOver = false }
    }

    /// A feedback does something for the first state that not all feedbacks have seen.
    mutating func sees(_ feedback: Int) { feedbacks[feedback].seen = (preceding.first?.step ?? step) &+ 1 }

    /// The same with other states for the runs of feedbacks on events, as those of another epoch may have another
    /// type.
    ///
    /// - Parameter carried: gives a state the type of the loop; nil: it does not fit, and its runs are left out.
    public func carryingCauses(_ carried: (Record) -> Record?) -> LoopPast {
        func carrying(_ runs: [OpenRun]) -> [OpenRun] {
            runs.compactMap { run in
                guard let cause = run.cause else { return run }
                return carried(cause.state).map { state in
                    var run = run
                    run.cause = Cause(state: state, event: cause.event, payload: cause.payload)
                    return run
                }
            }
        }
        var past = self
        for index in feedbacks.indices {
            past.feedbacks[index].open = carrying(feedbacks[index].open)
            past.feedbacks[index].waiting = carrying(feedbacks[index].waiting)
        }
        return past
    }

    /// The fields of the event that made the state.
    public var payload: Record? { event.map { payloads[$0] } }
}

extension LoopPast.FeedbackPast {
    /// A run begins.
    ///
    /// - Parameters:
    ///   - difference: of its number to the last one.
    ///   - form: as in the note; the first bit says that it has waited.
    /// - Returns: its number, and what is known of it.
    @inline(__always)
    mutating func begin(_ difference: Int64, _ form: Int) -> (run: UInt64, request: LoopPast.OpenRun?) {
        let run = latest &+ UInt64(bitPattern: difference)
        latest = max(latest, run)
        guard form & 1 == 0 else { return (run, takeRequest()) }
        return (run, open.isEmpty && waiting.isEmpty ? nil : take(begunAgain: run))
    }

    /// An event of a run was reduced.
    mutating func reduced(_ run: UInt64) {
        guard let index = open.firstIndex(where: { $0.number == run }), let events = open[index].events else {
            return
        }
        if events == 1 { ended = (run, open.remove(at: index).step) } else { open[index].events = events - 1 }
    }

    /// Notes that a run has ended, if it is open.
    ///
    /// - Parameter isDelay: whether it was the run of a delay, whose time is over.
    mutating func end(_ number: UInt64, isDelay: Bool) {
        guard let run = open.first(where: { $0.number == number }) else { return }
        if isDelay { isOver = true }
        ended = (number, run.step)
        open.removeAll { $0.number == number }
    }

    /// Takes the run of an earlier process that this one begins again: by its number, or as the first request.
    mutating func take(begunAgain run: UInt64) -> LoopPast.OpenRun? {
        if let index = open.firstIndex(where: { $0.isFromBefore && $0.number == run }) {
            return open.remove(at: index)
        }
        guard let index = waiting.firstIndex(where: { $0.isFromBefore && $0.cause != nil }) else {
            return nil
        }
        return waiting.remove(at: index)
    }

    /// Takes the run or the request of an earlier process that this one asks for again.
    mutating func takeAskedAgain() -> LoopPast.OpenRun? {
        if let index = open.firstIndex(where: { $0.isFromBefore && $0.cause != nil }) {
            return open.remove(at: index)
        }
        guard let index = waiting.firstIndex(where: { $0.isFromBefore && $0.cause != nil }) else {
            return nil
        }
        return waiting.remove(at: index)
    }

    /// Takes the first request of this process.
    mutating func takeRequest() -> LoopPast.OpenRun? {
        guard let index = waiting.firstIndex(where: { !$0.isFromBefore }) else { return nil }
        return waiting.remove(at: index)
    }

    /// Forgets the runs of earlier processes: this one has begun again all that it must.
    mutating func forgetBefore() {
        open.removeAll(where: \.isFromBefore)
        waiting.removeAll(where: \.isFromBefore)
    }
}
