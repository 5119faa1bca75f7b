/// A delayed transition of a `From`: the machine takes it when it was in states of that type for the delay.
///
/// A state declares its delays like its other transitions. A delay runs while each new state declares it
/// again. It starts when the machine enters a state of the type from one of another type, continues while
/// states of the type follow each other, and is cancelled when the machine leaves the type. It starts again
/// when its duration or its `id` changes: `After(.seconds(30), id: state.lastKey, …)` is a time without
/// keystrokes. Types do not distinguish the same state with another count from the same state entered again.
/// So entering it again restarts nothing unless `id` changes; nor does a delayed transition to its own type.
/// A delay in `From(AnyState.self)` starts with the loop.
///
/// Of two delays in one `From` with equal duration and `id`, the last wins. Time is that of the loop's clock.
/// The new state is made when the delay has passed, from the current state. See `Elapsed` for the event, and
/// `Transitions.delays` for the feedback that measures the time.
public struct After: Sendable {
    let on: On

    private init(
        _ delay: Delay, destination: any State.Type, _ transition: @escaping @Sendable () -> any State
    ) {
        on = On(cause: .delay(delay), event: Elapsed.self, destination: destination) { _ in transition() }
    }

    private init(on: On) {
        self.on = on
    }

    /// Leads to a given state once a state of the type has lasted for `delay`.
    public init<StateType: State>(
        _ delay: Duration, transitionTo: @autoclosure @escaping @Sendable () -> StateType
    ) {
        self.init(Delay(duration: delay, id: nil), destination: StateType.self, transitionTo)
    }

    /// Leads to a given state once states of the type have lasted for `delay` with equal `id`.
    public init<StateType: State>(
        _ delay: Duration, id: some Hashable & Sendable,
        transitionTo: @autoclosure @escaping @Sendable () -> StateType
    ) {
        self.init(Delay(duration: delay, id: DelayID(id)), destination: StateType.self, transitionTo)
    }

    /// The same transition, which is not taken if `disabled` is true when the delay has passed. It is not
    /// tried again.
    public func disable(_ disabled: @escaping @Sendable () -> Bool) -> After {
        After(on: on.disable(disabled))
    }
}

/// The duration of a delayed transition, and the value whose change restarts it.
struct Delay: Sendable, Hashable {
    let duration: Duration
    let id: DelayID?
}

/// A value whose change restarts a delay.
// Safe because it is made only of `Sendable` values.
struct DelayID: @unchecked Sendable, Hashable {
    private let value: AnyHashable

    init(_ value: some Hashable & Sendable) {
        self.value = AnyHashable(value)
    }
}

/// The event of a delayed transition, as observers see it: the machine was in states of that type for the
/// delay.
///
/// A loop emits it to itself for each `After`. A test may pass it to `Transitions.transition(from:on:)`. Only
/// its own `After` handles it, never `On(AnyEvent.self, …)`.
public struct Elapsed: Event, Hashable, CustomStringConvertible {
    let delay: Delay
    let source: ObjectIdentifier
    private let sourceName: String

    init(_ delay: Delay, in source: any State.Type) {
        self.delay = delay
        self.source = ObjectIdentifier(source)
        sourceName = String(describing: source)
    }

    /// The event of `After(duration, …)` in `From(source)`.
    public init(_ duration: Duration, in source: any State.Type) {
        self.init(Delay(duration: duration, id: nil), in: source)
    }

    /// The event of `After(duration, id: id, …)` in `From(source)`.
    public init(_ duration: Duration, id: some Hashable & Sendable, in source: any State.Type) {
        self.init(Delay(duration: duration, id: DelayID(id)), in: source)
    }

    var isOfAnyState: Bool { source == ObjectIdentifier(AnyState.self) }

    /// For example `after 30.0 seconds in Loading`.
    public var description: String { "after \(delay.duration) in \(sourceName)" }

    /// Whether both belong to the same delayed transition.
    public static func == (left: Elapsed, right: Elapsed) -> Bool {
        left.source == right.source && left.delay == right.delay
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(delay)
    }
}
