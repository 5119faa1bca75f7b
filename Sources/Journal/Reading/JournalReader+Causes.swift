import Records

/// An entry of a chain of causes, as a journal knows it.
public struct JournalCause: Sendable {
    /// Why the entry came about.
    public enum Origin: Sendable {
        /// The loop began, or an event came from outside.
        case beginning, outside
        /// A run emitted the event or sent the message. The step that began it is nil if the journal does not say.
        case run(feedback: String, number: UInt64?, step: UInt64?)
        /// A message became the event. Its position is nil if the journal does not say.
        case message(gear: String, position: UInt64?)
    }

    /// The entry, and what the journal says after it.
    public let placed: PlacedEntry, state: JournalState
    /// The loop's name.
    public let loop: String
    /// Why it came about.
    public let origin: Origin
}

extension JournalReader {
    /// The entry at a position with its origin. Nil for one that is no step, message or start of a loop.
    public func cause(at position: UInt64) throws(JournalError) -> JournalCause? {
        var cause: JournalCause?
        _ = try point(upTo: position, from: position) { placed, state in
            if placed.position == position { cause = JournalCause(placed, state) }
        }
        return cause
    }

    /// The position of the entry that caused another one; nil at the end of the chain.
    public func position(before cause: JournalCause) throws(JournalError) -> UInt64? {
        switch cause.origin {
        case .beginning, .outside: nil
        case .message(_, let position): position
        case .run(_, _, let step?): try position(ofStep: step, of: cause.loop)
        case .run(_, _, nil): nil
        }
    }
}

extension JournalCause {
    fileprivate init?(_ placed: PlacedEntry, _ state: JournalState) {
        guard let schema = state.epoch?.schema else { return nil }
        let index: Int
        switch placed.entry {
        case .started(let loop, _): (index, origin) = (loop, .beginning)
        case .step(let step):
            index = step.loop
            guard case .run(let number, let run) = step.origin else {
                origin = .outside
                break
            }
            let (past, feedback) = (
                state.loops[index].feedbacks[number], schema.loops[index].feedbacks[number]
            )
            origin =
                feedback.trigger == .receiver
                ? .message(gear: feedback.name, position: past.received)
                : .run(
                    feedback: feedback.name, number: run > 0 ? run : nil, step: past.beginning(ofRun: run))
        case .sent(let loop, let number, _, _, _):
            index = loop
            let past = state.loops[index].feedbacks[number]
            origin = .run(
                feedback: schema.loops[index].feedbacks[number].name, number: past.open.last?.number,
                step: past.open.last?.step ?? (past.seen > 0 ? past.seen - 1 : state.loops[index].step))
        default: return nil
        }
        (self.placed, self.state, loop) = (placed, state, schema.loops[index].name)
    }
}
