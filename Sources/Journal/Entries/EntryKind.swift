/// The first four bits of an entry. The others are the loop's index, or 15 before a larger one.
///
/// Entries with a position say what happened. Notes have none; they say what the host knows of runs, so that it
/// can begin them again.
enum EntryKind: UInt8 {
    /// A process begins to write.
    case epoch
    /// A loop begins in a state, which its manifest says or which another loop had.
    case started
    /// An event made a new state.
    case step
    /// An event made none.
    case refused
    /// Note: a run has begun.
    case began
    /// Note: a run has ended, and all that it emitted is reduced.
    case ended
    /// Note: a run is asked for, and waits.
    case asked
    /// Note: a message has become events, which wait.
    case received
    /// Note: the feedbacks have seen the first state that they had not seen.
    case delivered
    /// A message was sent.
    case sent
    /// A fault occurred.
    case fault
    /// A plugin has another version.
    case swapped
    /// A loop, or the app, has ended.
    case finished
    /// Note: the feedbacks have not seen the last state, and another step follows.
    case precedes
    /// A step by the one event that a run emitted in the call which began and ended it.
    case answered
    /// Note: the state of a plugin's instance that has stopped in order.
    case kept

    /// Whether the entry has a position.
    var hasPosition: Bool {
        switch self {
        case .epoch, .started, .step, .answered, .refused, .sent, .fault, .swapped, .finished: true
        case .began, .ended, .asked, .received, .delivered, .precedes, .kept: false
        }
    }

    static let largeLoop: UInt8 = 15
}

/// Why an event made no new state. Events that were late, or dropped by a full mailbox, are not in a journal.
public enum Refusal: UInt8, Hashable, Sendable {
    /// The reducer has no transition for it.
    case unhandled
    /// The reducer failed.
    case failed
    /// Its run was ended before it was reduced.
    case withdrawn
}

/// How a run ended.
public enum RunEnd: UInt8, Hashable, Sendable {
    /// By itself.
    case finished
    /// It was cancelled or replaced.
    case cancelled
}

/// Where an event came from.
public enum EntryOrigin: Hashable, Sendable {
    /// From outside of the app.
    case outside
    /// From a run: the feedback's index in the schema, and the run's number.
    case run(feedback: Int, number: UInt64)
}
