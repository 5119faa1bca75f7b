public import HostLoop

/// The feedbacks of a system, in the order in which they are given each new state.
public struct Feedbacks: Sendable {
    private var declared: [Feedback<any State, any Event>]
    /// What is told of events, also of those of feedbacks that are added later.
    private(set) var taps: [@Sendable (any Event) -> Void] = []

    /// Gathers feedbacks; there may be none.
    public init(
        @ArrayBuilder<Feedback<any State, any Event>> _ feedbacks: () -> [Feedback<any State, any Event>]
    ) {
        declared = feedbacks()
    }

    /// The feedbacks with everything applied that was said of all of them.
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

    /// The same feedbacks on another executor, but for those that have one already: the innermost wins.
    public func execute(on executor: LoopExecutor) -> Feedbacks {
        var copy = self
        copy.declared = declared.map { $0.executor == nil ? $0.execute(on: executor) : $0 }
        return copy
    }

    /// The same feedbacks and one that calls `perform` with every state, the initial one first, on the loop's
    /// executor. Several of them stack.
    public func onStateReceived(_ perform: @escaping @Sendable (any State) -> Void) -> Feedbacks {
        adding(.always("onStateReceived", effect: { state, _ in perform(state) }))
    }

    /// The same feedbacks, which call `perform` with each event that one of them emits, before it is queued,
    /// where it is emitted; also with events of what is attached to the system later, and of a `UISystem`.
    /// Several of them stack; in the original a second one replaced the first.
    public func onEventEmitted(_ perform: @escaping @Sendable (any Event) -> Void) -> Feedbacks {
        var copy = self
        copy.taps.append(perform)
        return copy
    }
}

/// The state that each loop of a system begins with.
public struct InitialState: Sendable {
    /// The state.
    public let value: any State

    /// Takes the state that `value` makes, at once.
    public init(_ value: () -> any State) {
        self.value = value()
    }
}
