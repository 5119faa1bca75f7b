/// A function that makes a new state of a state and an event: pure, one event at a time.
///
/// A reducer returns *new state* or *unhandled*. An event that it handles gives a new state, even if that
/// equals the old one. If it does not handle an event, or fails, the state stays as it was; the loop counts
/// this and notifies observers.
///
/// A reducer runs on the loop's executor, or on the thread that performs the event, under the lock of the
/// state. It may emit. If it reads its own loop's `Loop.state`, or performs an event of that loop, that is a
/// precondition failure.
public struct Reducer<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline typealias Body = @Sendable (inout State, Event) throws -> Bool

    @usableFromInline let body: Body

    /// Makes a reducer that changes the state in place and returns whether it handled the event.
    ///
    /// The state is the loop's own: the loop copies nothing when nobody observes. So `reduce` must not have
    /// changed the state when it returns false or throws.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) throws -> Bool) {
        body = reduce
    }

    /// Makes a reducer that returns the new state, or nil for an event that it does not handle.
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

/// The result of a reduction.
@usableFromInline
enum Reduction: Sendable {
    case newState
    case unhandled
    case failed(any Error)
    /// Not reduced: the loop must deliver performed steps first.
    case behind
}
