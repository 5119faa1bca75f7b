public import Records

/// Writes the entries of one loop.
///
/// A step is written as what it changed, so the encoder keeps the last state. Numbers of runs and times are
/// written as differences from the last ones.
///
/// While a loop runs, the committing thread uses its encoder: a `LoopRecorder` records, and the encoder writes what
/// was recorded.
// Safe because one thread at a time uses it, and `payloads` is freed with it.
@safe
public final class LoopEncoder: @unchecked Sendable {
    /// Where the entries go.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) public internal(set) var bytes = ByteWriter()
    let loop: Int
    let states: RecordCoder
    let events: [RecordCoder]
    /// The same, for code that must not count references.
    let payloads: UnsafeMutableBufferPointer<Unmanaged<RecordCoder>>
    // Safe because one thread at a time uses them.
    @safe @exclusivity(unchecked) var known: Record
    @safe @exclusivity(unchecked) private var time: Int64 = 0
    @safe @exclusivity(unchecked) private(set) var latest: ContiguousArray<UInt64>

    /// An encoder for a loop.
    ///
    /// - Parameters:
    ///   - index: the loop's index in the schema of the epoch.
    ///   - latest: the numbers of the last runs, by feedback; nil: none has run.
    public init(_ schema: LoopSchema, index: Int, latest: [UInt64]? = nil) {
        (loop, states, known) = (index, RecordCoder(schema.state), Record(schema.state))
        events = schema.events.map { RecordCoder($0.type) }
        unsafe payloads = .allocate(capacity: events.count)
        _ = unsafe payloads.initialize(from: events.map { unsafe Unmanaged.passUnretained($0) })
        self.latest = ContiguousArray(latest ?? schema.feedbacks.map { _ in 0 })
    }

    deinit { unsafe payloads.deallocate() }

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
        start(step: step, time: time, position: position, isDelivered: isDelivered, event: event)
        states.write(state, to: bytes)
        known = copy state
        // The encoder changes its own memory from now on.
        _ = unsafe known.unsafeMutableBase()
    }

    func start(
        step: UInt64, time: Int64, position: UInt64 = 0, isDelivered: Bool = false,
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
        put(RecordedEntry(.step, event: event, feedback, run: run, time: time), to: bytes)
        events[event].write(payload, to: bytes)
        states.writeDifference(of: state, from: &known, whole: entered, to: bytes)
    }

    /// An event that made no new state.
    public func refused(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64, _ why: Refusal
    ) {
        begin(.refused)
        put(RecordedEntry(.refused, event: event, feedback, run: run, time: time), to: bytes)
        events[event].write(payload, to: bytes)
        bytes.put(byte: why.rawValue)
    }

    /// A run has begun.
    ///
    /// - Parameters:
    ///   - events: how many events it emitted in its call, which has ended it; nil: it continues.
    ///   - hasWaited: whether this is the run that was asked for first, of those that wait.
    @inline(__always)
    public func began(feedback: Int, run: UInt64, events: Int?, hasWaited: Bool) {
        writeBegan(RecordedEntry.began(feedback, run: run, events: events, hasWaited: hasWaited), to: bytes)
    }

    @inline(__always)
    func writeBegan(_ entry: RecordedEntry, to bytes: ByteWriter) {
        bytes.begin(.began, loop: loop)
        bytes.put(count: Int(entry.feedback))
        putBeginning(entry, to: bytes)
        bytes.put(UInt64(bitPattern: entry.time))
    }

    /// Writes the number of a run that begins.
    @inline(__always)
    private func putBeginning(_ entry: RecordedEntry, to bytes: ByteWriter) {
        let feedback = Int(entry.feedback)
        bytes.put(signed: Int64(bitPattern: entry.number &- latest[feedback]))
        latest[feedback] = max(latest[feedback], entry.number)
    }

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
        ask(feedback: feedback, unseen: unseen)
        states.write(state, to: bytes)
    }

    func ask(feedback: Int, unseen: Int) {
        begin(.asked)
        bytes.put(count: feedback + 2 * latest.count)
        bytes.put(count: unseen)
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
    func begin(_ kind: EntryKind) { bytes.begin(kind, loop: loop) }

    /// Writes the event and origin of a step, or of an event that made none.
    @inline(__always)
    func put(_ entry: RecordedEntry, to bytes: ByteWriter) {
        bytes.put(count: Int(entry.event))
        bytes.put(count: Int(entry.feedback) + 1)
        if entry.kind == .answered {
            putBeginning(entry, to: bytes)
        } else if entry.feedback >= 0 {
            bytes.put(signed: Int64(bitPattern: latest[Int(entry.feedback)] &- entry.number))
        }
        bytes.put(signed: entry.time &- time)
        time = entry.time
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
