import HostLoop

/// Operators that observe the life of each subscription and change nothing.
extension Flow {
    /// The same flow, with `body` called before the source starts, where that happens.
    public func onStart(_ body: @escaping @Sendable () -> Void) -> Flow {
        Flow { sink in
            body()
            start(sink)
        }
    }

    /// The same flow, with `body` called when the source has completed, before the subscriber sees that.
    public func onCompletion(_ body: @escaping @Sendable (FlowCompletion) -> Void) -> Flow {
        Flow { start(FlowCompletionTap($0, body)) }
    }

    /// The same flow, with `body` called when the subscription is cancelled before the source has completed, on the
    /// thread that cancels it.
    public func onCancel(_ body: @escaping @Sendable () -> Void) -> Flow {
        Flow { output in
            let sink = FlowCompletionTap(output) { _ in }
            sink.onCancel(body)
            start(sink)
        }
    }

    /// The same flow, with `body` called once at the end of each subscription: after a completion, a failure or a
    /// cancellation.
    public func onEnd(_ body: @escaping @Sendable () -> Void) -> Flow {
        onCompletion { _ in body() }.onCancel(body)
    }
}

/// The sink of `onCompletion`.
// Safe because it adds an immutable property only.
private final class FlowCompletionTap<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private let body: @Sendable (FlowCompletion) -> Void

    init(_ output: FlowSink<Value>, _ body: @escaping @Sendable (FlowCompletion) -> Void) {
        self.body = body
        super.init(output)
    }

    override func receive(_ value: Value) -> EmitResult { output.emit(value) }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        await output.send(value)
    }

    override func complete(_ error: (any Error)?) {
        body(FlowCompletion(error))
        output.end(error)
    }
}
