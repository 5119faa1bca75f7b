public import HostLoop
public import HostLoopFlow

/// A rule for the states that start an effect, and the part of a state that the effect gets.
@usableFromInline
struct Selection<State: Sendable, Part: Sendable>: Sendable {
    /// Nil: every state counts.
    @usableFromInline let filter: (@Sendable (State) throws -> Bool)?
    /// The part; nil when the effect is not to run.
    @usableFromInline let part: @Sendable (State) throws -> Part?

    /// Selects the result of `lens`, if it passes the filter.
    @inlinable
    init(
        lens: @escaping @Sendable (State) throws -> Part, filter: (@Sendable (Part) throws -> Bool)?
    ) {
        if let filter {
            self.filter = { state in try filter(lens(state)) }
        } else {
            self.filter = nil
        }
        part = lens
    }

    /// Selects the value of `pick`, if that succeeds.
    @inlinable
    init(_ pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>) {
        filter = { state in
            if case .success = pick(state) { true } else { false }
        }
        part = { state in try? pick(state).get() }
    }
}

extension Feedback {
    @inlinable
    static func selecting<Part: Sendable>(
        _ selection: Selection<State, Part>, strategy: Strategy,
        event effect: @escaping @Sendable (Part) throws -> Event?
    ) -> Feedback {
        onState(
            "", where: selection.filter, strategy: strategy,
            effect: { state in
                guard let part = try selection.part(state) else { return nil }
                return try effect(part)
            })
    }

    @inlinable
    static func selecting<Part: Sendable>(
        _ selection: Selection<State, Part>, strategy: Strategy,
        flow effect: @escaping @Sendable (Part) throws -> Flow<Event>
    ) -> Feedback {
        onState(
            "", where: selection.filter, strategy: strategy,
            flow: { state in try selection.part(state).map(effect) ?? .none })
    }

    static func selecting<Part: Sendable>(
        _ selection: Selection<State, Part>, strategy: Strategy,
        async effect: @escaping @Sendable (Part) async throws -> Event?
    ) -> Feedback {
        onState(
            "", where: selection.filter, strategy: strategy,
            async: { state in
                guard let part = try selection.part(state) else { return nil }
                return try await effect(part)
            })
    }

    static func selecting<Part: Sendable>(
        _ selection: Selection<State, Part>, render effect: @escaping @Sendable (Part) throws -> Void
    ) -> Feedback {
        Feedback(
            effect: { (state: State) -> Void in if let part = try selection.part(state) { try effect(part) }
            },
            filteredBy: selection.filter)
    }
}

/// The reason why a function selects no part of a state; see the `filteredByResult` forms of `Feedback`.
public enum FeedbackFilterError: Error, Sendable, Hashable {
    /// The effect is not executed for this state.
    case effectIsNotExecuted
}
