/// The events that are handled in each state, as far as this is known without running the loop.
public struct TransitionCoverage: Sendable {
    /// A type of state and a type of event.
    public struct Situation: Sendable, Hashable, CustomStringConvertible {
        /// The type of the state.
        public var state: any State.Type
        /// The type of the event.
        public var event: any Event.Type

        /// For example `Loading on Refresh`.
        public var description: String { "\(state) on \(event)" }

        /// Whether both types are the same.
        public static func == (left: Situation, right: Situation) -> Bool {
            left.state == right.state && left.event == right.event
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(state))
            hasher.combine(ObjectIdentifier(event))
        }
    }

    /// Situations that no transition handles.
    public var unhandled: [Situation] = []
    /// Situations that only transitions with a `disable` condition handle, or perhaps a `From` that depends
    /// on the state.
    public var undecided: [Situation] = []

    /// Whether every situation is certainly handled.
    public var isComplete: Bool { unhandled.isEmpty && undecided.isEmpty }
}

extension TransitionTable {
    /// Checks every pair of the given types: states in order, and for each the events in order.
    ///
    /// A transition with a `disable` condition does not count as handling. Delayed transitions do not count
    /// either.
    public func coverage(states: [any State.Type], events: [any Event.Type]) -> TransitionCoverage {
        var rules: [TransitionCoverage.Situation: Bool] = [:]
        for transition in transitions where transition.delay == nil {
            let key = TransitionCoverage.Situation(state: transition.source, event: transition.event)
            rules[key] = !transition.isConditional
        }
        var coverage = TransitionCoverage()
        for state in states {
            for event in events {
                let applying = [
                    (state, event), (state, AnyEvent.self), (AnyState.self, event),
                    (AnyState.self, AnyEvent.self),
                ]
                .compactMap { rules[TransitionCoverage.Situation(state: $0, event: $1)] }
                if applying.contains(true) { continue }
                let situation = TransitionCoverage.Situation(state: state, event: event)
                if applying.isEmpty, !isUnknown(state) {
                    coverage.unhandled.append(situation)
                } else {
                    coverage.undecided.append(situation)
                }
            }
        }
        return coverage
    }
}
