public import HostLoop

/// The feedbacks of a system, in the order in which they get each new state.
public struct Feedbacks: Sendable {
    private var declared: [Feedback<any State, any Event>]
    /// Functions that get all events, including those of feedbacks that are added later.
    private(set) var taps: [@Sendable (any Event) -> Void] = []

    /// Makes a list of feedbacks, which may be empty.
    public init(
        @ArrayBuilder<Feedback<any State, any Event>> _ feedbacks: () -> [Feedback<any State, any Event>]
    ) {
        declared = feedbacks()
    }

    /// The feedbacks with the modifiers that apply to all of them.
    public var feedbacks: [Feedback<any State, any Event>] {
        declared.map { feedback in
            taps.reduce(feedback) { $0.onEventEmitted($1) }
        }
    }

    /// The same feedbacks with `feedback` after them.
    func adding(_ feedback: Feedback<any State, any Event>) -> Feedbacks {
        var copy = self
        copy.declared.append(feedback)
        return copy
    }

    /// The same feedbacks on another executor, except those that have one already: the innermost wins.
    public func execute(on executor: LoopExecutor) -> Feedbacks {
        var copy = self
        copy.declared = declared.map { $0.execute(on: executor) }
        return copy
    }

    /// The same feedbacks and one that calls `perform` with every state, the initial one first, on the loop's
    /// executor. Several of them stack.
    public func onStateReceived(_ perform: @escaping @Sendable (any State) -> Void) -> Feedbacks {
        adding(.always("onStateReceived", effect: { state, _ in perform(state) }))
    }

    /// The same feedbacks, which call `perform` with each event that one of them emits: on the emitting
    /// thread, before the event is queued. This includes events of mediators that are attached later, and of
    /// a `UISystem`. Several of them stack; in the original a second one replaces the first.
    public func onEventEmitted(_ perform: @escaping @Sendable (any Event) -> Void) -> Feedbacks {
        var copy = self
        copy.taps.append(perform)
        return copy
    }
}

/// The first state of each loop of a system.
public struct InitialState: Sendable {
    /// The state.
    public let value: any State

    /// Calls `value` at once and keeps the state.
    public init(_ value: () -> any State) {
        self.value = value()
    }
}
