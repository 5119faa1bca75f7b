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
