public import Records

/// Records what one loop does, on the thread that drains it. The committing thread makes entries of it.
///
/// To copy the memory of a state costs a step much less than to compare it with the last one. What owns memory
/// is written here as its difference: a copy would be larger, and would have to be released.
///
/// Only the thread that drains the loop may use it.
// Safe because one thread at a time uses it.
public final class LoopRecorder: @unchecked Sendable {
    /// What was recorded and not appended.
    private let bytes = ByteWriter()
    /// The number of entries with a position that were recorded and not appended.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) public private(set) var count = 0
    private let writer: JournalWriter
    /// The loop's number for `writer`.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) private var number: Int
    private let states: RecordCoder
    private let events: [RecordCoder]
    /// Whether nothing that is recorded owns memory.
    private let isTrivial: Bool
    /// The sizes of their memory, for code that must not count references: another thread uses the coders, too.
    private let stateSize: Int
    private let payloadSizes: ContiguousArray<Int>
    /// The last state, of a type that owns memory.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) private var known: Record

    /// By feedback: the number of the last run that is recorded.
    // Safe because one thread at a time uses it.
    @safe @exclusivity(unchecked) private var latest: ContiguousArray<UInt64>

    /// A recorder for the loop of an encoder. From now on, only the committing thread uses the encoder.
    public init(continuing encoder: LoopEncoder, to writer: JournalWriter) {
        (self.writer, number) = (writer, writer.register(encoder))
        (states, events, known, latest) = (encoder.states, encoder.events, encoder.known, encoder.latest)
        isTrivial = states.isTrivial && events.allSatisfy(\.isTrivial)
        (stateSize, payloadSizes) = (states.type.size, ContiguousArray(events.map(\.type.size)))
        if !states.isTrivial { _ = unsafe known.unsafeMutableBase() }
    }

    deinit { writer.retire(number) }

    /// Records what follows the entries of another encoder of the same loop.
    public func `continue`(_ encoder: LoopEncoder) {
        writer.retire(number)
        (number, known, latest) = (writer.register(encoder), encoder.known, encoder.latest)
        if !states.isTrivial { _ = unsafe known.unsafeMutableBase() }
    }

    /// Whether nothing was recorded that is not appended.
    public var isEmpty: Bool { bytes.count == 0 }

    /// Appends what was recorded (`JournalWriter.append`); nil: nothing was.
    public func append() -> (position: UInt64, append: UInt64)? {
        guard bytes.count > 0 else { return nil }
        defer {
            bytes.removeAll()
            count = 0
        }
        return writer.append(bytes, count: count, of: number)
    }

    /// The loop begins in its initial state.
    public func started(_ state: borrowing Record, step: UInt64, time: Int64) {
        record(RecordedEntry(kind: .started, number: step, time: time), nil, copy state)
        guard !states.isTrivial else { return }
        known = copy state
        _ = unsafe known.unsafeMutableBase()
    }

    /// A step (`LoopEncoder.step`).
    ///
    /// - Parameters:
    ///   - answers: whether the run has begun, and has ended in its call with this event alone.
    ///   - appends: appends all that was recorded.
    @inline(__always)
    public func step(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64,
        state: borrowing Record, entered: Bool, answers: Bool, appends: Bool
    ) {
        var entry = RecordedEntry(
            answers ? .answered : .step, event: event, feedback, run: run, time: time)
        entry.flag = entered
        if answers { latest[feedback] = max(latest[feedback], run) }
        guard isTrivial, appends, bytes.count == 0 else {
            recordStep(entry, payload, state)
            if appends { _ = append() }
            return
        }
        let payloadSize = payloadSizes[event]
        entry.payload = UInt32(truncatingIfNeeded: payloadSize)
        entry.state = UInt32(truncatingIfNeeded: stateSize)
        let statePlace = RecordedEntry.size + RecordedEntry.padded(payloadSize)
        unsafe writer.append(statePlace + RecordedEntry.padded(stateSize), count: 1, of: number) { place in
            // Safe because the memory that is added has room for the entry and both values.
            unsafe place.storeBytes(of: entry, as: RecordedEntry.self)
            unsafe Self.copy(payload.unsafeBase, to: place + RecordedEntry.size, payloadSize)
            unsafe Self.copy(state.unsafeBase, to: place + statePlace, stateSize)
        }
    }

    /// An event that made no new state.
    public func refused(
        event: Int, _ payload: borrowing Record, feedback: Int, run: UInt64, time: Int64, _ why: Refusal
    ) {
        var entry = RecordedEntry(.refused, event: event, feedback, run: run, time: time)
        entry.detail = why.rawValue
        record(entry, (event, copy payload), nil)
    }

    /// A run has begun (`LoopEncoder.began`).
    @inline(__always)
    public func began(feedback: Int, run: UInt64, events: Int?, hasWaited: Bool) {
        latest[feedback] = max(latest[feedback], run)
        record(RecordedEntry.began(feedback, run: run, events: events, hasWaited: hasWaited))
    }

    /// Whether a run has begun: this one, or a later one of its feedback.
    public func hasBegun(feedback: Int, run: UInt64) -> Bool { run <= latest[feedback] }

    /// The loop has sent a message (`ByteWriter.sent`).
    public func sent(
        feedback: Int, gear: Int, message: Int, _ payload: borrowing Record, by coder: RecordCoder
    ) {
        let place = bytes.count
        var entry = RecordedEntry(
            kind: .sent, feedback: Int32(feedback), event: Int32(gear), number: UInt64(message))
        record(entry)
        entry.payload = put { coder.write(payload, to: bytes) }
        bytes.replace(at: place, by: entry)
    }

    /// A run has ended, and all that it emitted is reduced.
    public func ended(feedback: Int, run: UInt64, _ how: RunEnd) {
        record(
            RecordedEntry(kind: .ended, detail: how.rawValue, feedback: Int32(feedback), number: run))
    }

    /// A run is asked for, and waits.
    public func asked(feedback: Int) { record(.asked, feedback) }

    /// A run is asked for again that an earlier process may have begun (`LoopEncoder.asked`).
    public func asked(feedback: Int, unseen: Int, in state: borrowing Record) {
        record(
            RecordedEntry(
                kind: .asked, detail: RecordedEntry.Request.unseen.rawValue, feedback: Int32(feedback),
                event: Int32(unseen)), nil, copy state)
    }

    /// The requests of a feedback that wait are dropped.
    public func forgot(feedback: Int) { record(.forgot, feedback) }

    /// A message has become events, which wait, or none.
    public func received(feedback: Int, position: UInt64, events: Int) {
        record(
            RecordedEntry(
                kind: .received, feedback: Int32(feedback), event: Int32(clamping: events), number: position))
    }

    /// Another step follows before the feedbacks see the last state.
    public func precedes() { record(RecordedEntry(kind: .precedes)) }

    /// The feedbacks have seen the last state, or the first of those that preceded other steps.
    public func delivered() { record(RecordedEntry(kind: .delivered)) }

    /// The loop has ended.
    public func finished(time: Int64, isDone: Bool) {
        record(RecordedEntry(kind: .finished, flag: isDone, time: time))
    }

    private func record(_ request: RecordedEntry.Request, _ feedback: Int) {
        record(RecordedEntry(kind: .asked, detail: request.rawValue, feedback: Int32(feedback)))
    }

    /// Most records are a few whole words, which a call would copy more slowly.
    @inline(__always)
    private static func copy(_ record: UnsafeRawPointer, to place: UnsafeMutableRawPointer, _ size: Int) {
        guard size & 7 == 0, size <= 64 else {
            unsafe place.copyMemory(from: record, byteCount: size)
            return
        }
        var offset = 0
        while offset < size {
            let word = unsafe record.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            unsafe place.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
    }

    @inline(__always)
    private func record(_ entry: RecordedEntry) {
        if entry.kind.hasPosition { count += 1 }
        // Safe because the memory that is added has room for the entry.
        unsafe bytes.add(RecordedEntry.size).storeBytes(of: entry, as: RecordedEntry.self)
    }

    // MARK: - With values

    /// Records an entry with an event, or with a whole state.
    private func record(
        _ entry: RecordedEntry, _ event: (index: Int, payload: Record)?, _ state: Record?
    ) {
        let place = bytes.count
        record(entry)
        var entry = entry
        if let event { entry.payload = put(event.payload, by: events[event.index]) }
        if let state { entry.state = put(state, by: states) }
        bytes.replace(at: place, by: entry)
    }

    @inline(never)
    private func recordStep(
        _ entry: RecordedEntry, _ payload: borrowing Record, _ state: borrowing Record
    ) {
        let place = bytes.count
        record(entry)
        var entry = entry
        entry.payload = put(payload, by: events[Int(entry.event)])
        if states.isTrivial {
            entry.state = put(state, by: states)
        } else {
            entry.state = put {
                states.writeDifference(of: state, from: &known, whole: entry.flag, to: bytes)
            }
        }
        bytes.replace(at: place, by: entry)
    }

    /// Records a value, and returns the number of its bytes.
    private func put(_ record: borrowing Record, by coder: RecordCoder) -> UInt32 {
        let (base, size) = unsafe (record.unsafeBase, coder.type.size)
        return put {
            if coder.isTrivial {
                // Safe because that is the memory of the record.
                unsafe bytes.put(raw: UnsafeRawBufferPointer(start: base, count: size))
            } else {
                coder.write(record, to: bytes)
            }
        }
    }

    private func put(_ body: () -> Void) -> UInt32 {
        let before = bytes.count
        body()
        let size = bytes.count - before
        bytes.pad(to: 8)
        return UInt32(size)
    }
}
