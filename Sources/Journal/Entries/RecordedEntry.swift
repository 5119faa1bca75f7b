/// An entry as the thread that drains a loop records it, before the values that belong to it. All lie at multiples
/// of 8.
///
/// A value follows as bytes of its memory if its type owns none, else as a `RecordCoder` writes it.
struct RecordedEntry: BitwiseCopyable {
    var kind: EntryKind
    /// A step has entered a case; the loop is done.
    var flag = false
    /// A `Refusal`, `RunEnd` or `Request`.
    var detail: UInt8 = 0
    var feedback: Int32 = -1
    /// An event, or a number of events, or an index; for a message, its gear.
    var event: Int32 = 0
    /// Bytes of the event's payload.
    var payload: UInt32 = 0
    /// Bytes of the state.
    var state: UInt32 = 0
    /// A run, step, position or message.
    var number: UInt64 = 0
    /// A time; for a run that began, what it did in its first call.
    var time: Int64 = 0

    /// What a note of the kind `asked` says.
    enum Request: UInt8 {
        case asked, forgot, unseen
    }

    static var size: Int { MemoryLayout<RecordedEntry>.stride }

    @inline(__always)
    static func padded(_ size: Int) -> Int { (size + 7) & ~7 }
}

extension RecordedEntry {
    /// A step, or an event that made none.
    @inline(__always)
    init(_ kind: EntryKind, event: Int, _ feedback: Int, run: UInt64, time: Int64) {
        self.init(
            kind: kind, feedback: Int32(truncatingIfNeeded: feedback),
            event: Int32(truncatingIfNeeded: event), number: run, time: time)
    }

    /// A run has begun (`LoopEncoder.began`).
    @inline(__always)
    static func began(_ feedback: Int, run: UInt64, events: Int?, hasWaited: Bool) -> RecordedEntry {
        RecordedEntry(
            kind: .began, feedback: Int32(truncatingIfNeeded: feedback), number: run,
            time: Int64((events.map { $0 + 1 } ?? 0) << 1 | (hasWaited ? 1 : 0)))
    }
}
