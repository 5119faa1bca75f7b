public import Records

/// An entry of a journal, as a reader sees it.
public enum Entry: Sendable {
    /// A process or a manifest begins.
    case epoch(Epoch)
    /// A loop begins in its state.
    case started(loop: Int, step: UInt64)
    /// An event made the loop's state.
    case step(Step)
    /// An event made no new state.
    case refused(Step, Refusal)
    /// A message was sent by a feedback.
    case sent(loop: Int, feedback: Int, gear: Int, message: Int, payload: Record)
    /// A fault occurred.
    case fault(loop: Int, code: String, part: String, message: String)
    /// A plugin has another version.
    case swapped(from: String, to: Epoch.Plugin, isRollBack: Bool)
    /// A loop has ended; `isDone` for its `until`.
    case finished(loop: Int, isDone: Bool)

    /// An event that was reduced.
    public struct Step: Sendable {
        /// The loop's index in the schema.
        public let loop: Int
        /// The number of the new state, or of the state that did not change.
        public let step: UInt64
        /// The event's index in the schema.
        public let event: Int
        /// The event's fields.
        public let payload: Record
        /// Where it came from.
        public let origin: EntryOrigin
        /// The state before. The state after is the loop's.
        public let before: Record
    }
}

extension Entry {
    /// The loop whose state the entry gives, by its index in the schema.
    public var changedLoop: Int? {
        switch self {
        case .started(let loop, _): loop
        case .step(let step): step.loop
        default: nil
        }
    }
}

/// An entry with its place.
public struct PlacedEntry: Sendable {
    /// Its position, from 1.
    public let position: UInt64
    /// When: nanoseconds since 1970-01-01T00:00:00Z; nil if the entry does not say.
    public let time: Int64?
    /// What happened.
    public let entry: Entry
}
