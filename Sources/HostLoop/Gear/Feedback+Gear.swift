extension Feedback {
    /// A feedback that propagates a message for each state, the initial one included.
    ///
    /// The compiler distinguishes the two forms with a closure by the types of the closure. So state, message
    /// and event must not all have the same type.
    /// - Parameters:
    ///   - message: Returns the message for a state, or nil for none. Called for one state after the other.
    ///   - executor: The executor that calls `message`; nil means the executor of the loop.
    public init<Message: Sendable>(
        attachedTo gear: Gear<Message>, propagating message: @escaping @Sendable (State) -> Message?,
        on executor: LoopExecutor? = nil
    ) {
        self = Feedback.always("gear") { state, _ in
            if let message = message(state) { gear.propagate(event: message) }
        }.moved(to: executor)
    }

    /// A feedback that propagates `message` for each state that equals `state`.
    public init<Message: Sendable>(
        attachedTo gear: Gear<Message>, catching state: State, propagating message: Message,
        on executor: LoopExecutor? = nil
    ) where State: Equatable {
        self.init(attachedTo: gear, propagating: { $0 == state ? message : nil }, on: executor)
    }

    /// A feedback that turns each message into an event.
    ///
    /// The loop is attached while it runs: from its start, not from the creation of the feedback, until it
    /// stops.
    /// - Parameters:
    ///   - event: Returns the event for a message, or nil for none. Called for one message after the other,
    ///     in order.
    ///   - executor: The executor that calls `event`; nil means the executor of the loop.
    public init<Message: Sendable>(
        attachedTo gear: Gear<Message>, propagating event: @escaping @Sendable (Message) -> Event?,
        on executor: LoopExecutor? = nil
    ) {
        self = Feedback.receiver("gear") { _, run in
            gear.attach(run) { message, run in
                guard let event = event(message) else { return .queued }
                return run.operations.post(event, rest: nil, from: run.number, waiting: nil) ?? .queued
            }
            return .pending
        }.moved(to: executor)
    }

    /// A feedback that turns each message into events.
    ///
    /// The events of a message are one entry of the queue: the loop takes all of them in order, or drops all.
    /// The loop is attached from its start until it stops.
    /// - Parameters:
    ///   - name: The name of the feedback in messages and for observers.
    ///   - attached: Called on the loop's executor when the loop is attached. The loop gets every message
    ///     that is propagated after that.
    ///   - events: Returns the events for a message. Called on the loop's executor for one message after the
    ///     other, in order.
    public init<Message: Sendable>(
        _ name: String = "gear", receivingFrom gear: Gear<Message>,
        attached: @escaping @Sendable () -> Void = {},
        emitting events: @escaping @Sendable (Message) -> [Event]
    ) {
        self = Feedback.receiver(name) { _, run in
            gear.attach(run) { message, run in
                var rest = ContiguousArray(events(message))
                guard !rest.isEmpty else { return .queued }
                let first = rest.removeFirst()
                return run.operations.post(
                    first, rest: rest.isEmpty ? nil : rest, from: run.number, waiting: nil) ?? .queued
            }
            attached()
            return .pending
        }
    }

    /// A feedback that emits `event` for each message that equals `message`.
    public init<Message: Equatable & Sendable>(
        attachedTo gear: Gear<Message>, catching message: Message, emitting event: Event,
        on executor: LoopExecutor? = nil
    ) {
        self.init(attachedTo: gear, propagating: { $0 == message ? event : nil }, on: executor)
    }
}

extension Gear {
    /// Attaches a pending run for as long as it lasts, and calls `deliver` for each message as a part of the run.
    /// - Parameter deliver: Turns a message into events, and returns what became of them.
    fileprivate func attach<Event>(
        _ run: Run<Event>, _ deliver: @escaping @Sendable (Message, Run<Event>) -> EmitResult
    ) {
        attach(
            limit: run.operations.capacity.limit,
            onCancel: { detach in
                run.onCancel {
                    detach()
                    run.finish()
                }
            },
            schedule: { gear, ticket in gear.resume(run, ticket, deliver) })
    }

    private func resume<Event>(
        _ run: Run<Event>, _ ticket: UInt64,
        _ deliver: @escaping @Sendable (Message, Run<Event>) -> EmitResult
    ) {
        run.resume { run in
            if self.deliver(to: ticket, { deliver($0, run) }) { self.resume(run, ticket, deliver) }
            return .pending
        }
    }
}
