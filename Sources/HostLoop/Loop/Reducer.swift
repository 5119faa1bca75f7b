/// How a state and an event make a new state: pure, one event at a time.
///
/// A reducer answers *new state* or *unhandled*. An event that it handles gives a new state, be it equal to
/// the old one or not; one that it does not handle, or fails on, leaves no trace but a count and a message to
/// observers. It runs on the loop's executor, or on the thread that performs the event, under the lock of the
/// state: it may emit, but reading its own loop's `Loop.state`, or performing an event of it, is a
/// precondition failure.
public struct Reducer<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline typealias Body = @Sendable (inout State, Event) throws -> Bool

    @usableFromInline let body: Body

    /// Makes a reducer that changes the state in place and answers whether it handled the event.
    ///
    /// The state is the loop's own: nothing is copied when nobody observes. So `reduce` must leave it as it
    /// was when it answers false or throws.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) throws -> Bool) {
        body = reduce
    }

    /// Makes a reducer that answers the new state, or nil for an event that it does not handle.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State, Event) throws -> State?) {
        body = { state, event in
            guard let next = try reduce(state, event) else { return false }
            state = next
            return true
        }
    }

    /// Makes a reducer that handles every event.
    @inlinable @_disfavoredOverload
    public init(_ reduce: @escaping @Sendable (State, Event) throws -> State) {
        body = { state, event in
            state = try reduce(state, event)
            return true
        }
    }
}

/// What the reducer made of an event.
@usableFromInline
enum Reduction: Sendable {
    case newState
    case unhandled
    case failed(any Error)
    /// Not reduced: performed steps have to be delivered first.
    case behind
}
