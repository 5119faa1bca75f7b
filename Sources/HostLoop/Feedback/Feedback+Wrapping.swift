extension Feedback {
    typealias Effect = FeedbackMemory<State, Event>.SendableEffect

    /// The same feedback with a wrapped effect. `wrap` is called once per loop.
    func wrapping(_ wrap: @escaping @Sendable () -> @Sendable (@escaping Effect) -> Effect) -> Feedback {
        remembering { memory in
            let wrap = wrap()
            guard let detach = memory.detached else {
                preconditionFailure(
                    "a feedback with a memory of its own needs `detached` before its effect can be changed")
            }
            var memory = memory
            memory.effect = { state, event, run in try wrap(detach())(state, event, run) }
            memory.detached = { wrap(detach()) }
            return memory
        }
    }

    /// The same feedback with a changed memory. `change` is called once per loop.
    func remembering(
        policy: RunPolicy? = nil,
        _ change: @escaping @Sendable (FeedbackMemory<State, Event>) -> FeedbackMemory<State, Event>
    ) -> Feedback {
        let makeMemory = makeMemory
        var policy = policy ?? self.policy
        // A modifier may wait for other things than messages.
        policy.onlyReceives = false
        var copy = Feedback(name, policy: policy) { change(makeMemory()) }
        copy.chosenExecutor = chosenExecutor
        copy.recover = recover
        return copy
    }
}
