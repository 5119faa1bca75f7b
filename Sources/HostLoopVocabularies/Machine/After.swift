/// A delayed transition of a `From`: taken when the machine has been in a state of that type for a while.
///
/// A state declares its delays as it declares its other transitions, and a delay runs for as long as each new
/// state declares it again: it starts when a state of the type is entered from one of another type, goes on
/// while states of the same type follow each other, and is taken back when the type is left. It starts anew
/// when its duration or its `id` changes: `After(.seconds(30), id: state.lastKey, …)` is a time without
/// keystrokes. (Types cannot tell "the same state with another count" from "the same state entered again", so
/// re-entering restarts nothing unless `id` says so; nor does a delayed transition to its own type.) A delay in `From(AnyState.self)` starts with the loop.
///
/// Of two delays in one `From` with equal duration and `id`, the last wins. Time is the loop's clock. The new
/// state is made when the delay has passed, from the state of that moment; see `Elapsed` for the event, and
/// `Transitions.delays` for the feedback that counts the time.
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

    /// The same transition, not taken if `disabled` is true when the delay has passed; it is not tried again.
    public func disable(_ disabled: @escaping @Sendable () -> Bool) -> After {
        After(on: on.disable(disabled))
    }
}

/// How long a state has to last, and for what, until a delayed transition is taken.
struct Delay: Sendable, Hashable {
    let duration: Duration
    let id: DelayID?
}

/// A value whose change starts a delay anew.
// Safe because it is only made of a value that is Sendable.
struct DelayID: @unchecked Sendable, Hashable {
    private let value: AnyHashable

    init(_ value: some Hashable & Sendable) {
        self.value = AnyHashable(value)
    }
}

/// The event of a delayed transition, as observers see it: a state of that type has lasted so long.
///
/// A loop emits it to itself for each `After`. A test may hand it to `Transitions.transition(from:on:)`; only
/// the `After` that it belongs to handles it, never `On(AnyEvent.self, …)`.
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
