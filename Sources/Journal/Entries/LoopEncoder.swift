public import Records

/// Writes the entries of one loop, on the thread that drains it.
///
/// A step is written as what it changed, so the encoder keeps the last state. Numbers of runs and times are
/// written as differences from the last ones.
// Safe because only the thread that drains the loop uses it.
public final class LoopEncoder: @unchecked Sendable {
    /// Entries that were not appended to the journal.
    public let bytes = ByteWriter()
    private let loop: Int
    private let states: RecordCoder
    private let events: [RecordCoder]
    // Safe because one thread at a time uses them.
    @safe @exclusivity(unchecked) private var known: Record
    @safe @exclusivity(unchecked) private var time: Int64 = 0
    @safe @exclusivity(unchecked) private var latest: ContiguousArray<UInt64>

    /// An encoder for a loop.
    ///
    /// - Parameters:
    ///   - index: the loop's index in the schema of the epoch.
    ///   - latest: the numbers of the last runs, by feedback; nil: none has run.
    public init(_ schema: LoopSchema, index: Int, latest: [UInt64]? = nil) {
        (loop, states, known) = (index, RecordCoder(schema.state), Record(schema.state))
        events = schema.events.map { RecordCoder($0.type) }
        self.latest = ContiguousArray(latest ?? schema.feedbacks.map { _ in 0 })
    }

    /// Has the loop begin in a state.
    ///
    /// - Parameters:
    ///   - position: for a loop that continues, the position of the entry that made the state; 0 for another.
    ///   - isDelivered: whether the feedbacks have seen that state.
    ///   - event: the event that made it; nil if that does not matter any more.
    public func started(
        _ state: borrowing Record, step: UInt64, time: Int64, position: UInt64 = 0, isDelivered: Bool = false,
        event: (index: Int, payload: Record)? = nil
    ) {
        self.time = time
        begin(.started)
        bytes.put(signed: time)
        bytes.put(step)
        bytes.put(position)
        bytes.put(byte: isDelivered ? 1 : 0)
        bytes.put(count: (event?.index ?? -1) + 1)
        if let event { events[event.index].write(event.payload, to: bytes) }
        bytes.put(latest.map { $0 }, { bytes.put($0) })
        states.write(state, to: bytes)
        known = copy state
        // The encoder changes its own memory from now on.
        _ = unsafe known.unsafeMutableBase()
    }

    /// A step.
    ///
    /// - Parameters:
    ///   - feedback: the feedback whose run emitted the event; -1: it came from outside.
    ///   - state: the new state.
    ///   - entered: whether a transition has entered a case, perhaps the one that the state was in.
    @inline(__always)
    public func step(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64,
        state: borrowing Record, entered: Bool
    ) {
        begin(.step)
        put(event: event, payload, feedback: feedback, run: run, time: time)
        states.writeDifference(of: state, from: &known, whole: entered, to: bytes)
    }

    /// An event that made no new state.
    public func refused(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64, _ why: Refusal
    ) {
        begin(.refused)
        put(event: event, payload, feedback: feedback, run: run, time: time)
        bytes.put(byte: why.rawValue)
    }

    /// A run has begun.
    ///
    /// - Parameters:
    ///   - events: how many events it emitted in its call, which has ended it; nil: it continues.
    ///   - hasWaited: whether this is the run that was asked for first, of those that wait.
    @inline(__always)
    public func began(feedback: Int, run: UInt64, events: Int?, hasWaited: Bool) {
        begin(.began)
        bytes.put(count: feedback)
        bytes.put(signed: Int64(bitPattern: run &- latest[feedback]))
        latest[feedback] = max(latest[feedback], run)
        bytes.put(count: ((events.map { $0 + 1 } ?? 0) << 1) | (hasWaited ? 1 : 0))
    }

    /// Whether a run has begun: this one, or a later one of its feedback.
    public func hasBegun(feedback: Int, run: UInt64) -> Bool { run <= latest[feedback] }

    /// A run has ended, and all that it emitted is reduced.
    public func ended(feedback: Int, run: UInt64, _ how: RunEnd) {
        begin(.ended)
        bytes.put(count: feedback)
        bytes.put(signed: Int64(bitPattern: latest[feedback] &- run))
        bytes.put(byte: how.rawValue)
    }

    /// A run is asked for, and waits.
    public func asked(feedback: Int) {
        begin(.asked)
        bytes.put(count: feedback)
    }

    /// A run is asked for again that an earlier process may have begun.
    ///
    /// - Parameters:
    ///   - unseen: the index of its step among those that the feedbacks may not have seen.
    ///   - state: the state of that step.
    public func asked(feedback: Int, unseen: Int, in state: borrowing Record) {
        begin(.asked)
        bytes.put(count: feedback + 2 * latest.count)
        bytes.put(count: unseen)
        states.write(state, to: bytes)
    }

    /// The requests of a feedback that wait are dropped.
    public func forgot(feedback: Int) {
        begin(.asked)
        bytes.put(count: feedback + latest.count)
    }

    /// A message has become events, which wait, or none.
    public func received(feedback: Int, position: UInt64, events: Int) {
        begin(.received)
        bytes.put(count: feedback)
        bytes.put(position)
        bytes.put(count: events)
    }

    /// Another step follows before the feedbacks see the last state.
    public func precedes() { begin(.precedes) }

    /// The feedbacks have seen the last state, or the first of those that preceded other steps.
    public func delivered() { begin(.delivered) }

    /// The loop has ended.
    public func finished(time: Int64, isDone: Bool) {
        self.time = time
        begin(.finished)
        bytes.put(signed: time)
        bytes.put(byte: isDone ? 1 : 0)
    }

    @inline(__always)
    private func begin(_ kind: EntryKind) { bytes.begin(kind, loop: loop) }

    @inline(__always)
    private func put(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64
    ) {
        bytes.put(count: event)
        bytes.put(count: feedback + 1)
        if feedback >= 0 { bytes.put(signed: Int64(bitPattern: latest[feedback] &- run)) }
        bytes.put(signed: time &- self.time)
        self.time = time
        events[event].write(payload, to: bytes)
    }
}

extension ByteWriter {
    /// Begins an entry of a loop.
    @inline(__always)
    func begin(_ kind: EntryKind, loop: Int) {
        guard loop >= Int(EntryKind.largeLoop) else { return put(byte: kind.rawValue | UInt8(loop) << 4) }
        put(byte: kind.rawValue | EntryKind.largeLoop << 4)
        put(count: loop)
    }
}
