import HostLoop

/// A sequence of flows: when a flow has completed, `decide` chooses the next flow or the end.
final class FlowSeries<Value: Sendable>: Sendable {
    enum Next: Sendable {
        case flow(Flow<Value>, after: Duration = .zero)
        case end((any Error)?)
    }

    private let output: FlowSink<Value>
    private let decide: @Sendable ((any Error)?) -> Next
    private let timer: FlowTimer
    /// Defers nested starts: a flow that completes at once must not start the next flow during its own start.
    private let starts = SerialDelivery<Flow<Value>>()

    /// - Parameter decide: Gets the failure of the completed flow, if it failed.
    init(_ output: FlowSink<Value>, decide: @escaping @Sendable ((any Error)?) -> Next) {
        self.output = output
        self.decide = decide
        timer = FlowTimer(output.scope)
    }

    func start(_ flow: Flow<Value>) {
        starts.add(flow) { $0.start(Part(self)) }
    }

    private func proceed(_ error: (any Error)?) {
        switch decide(error) {
        case .end(let error): output.end(error)
        case .flow(let flow, let delay):
            guard delay > .zero else { return start(flow) }
            timer.set(at: output.clock.now.advanced(by: delay)) { self.start(flow) }
        }
    }

    // Safe because it adds an immutable property only.
    private final class Part: FlowStage<Value, Value>, @unchecked Sendable {
        private let series: FlowSeries

        init(_ series: FlowSeries) {
            self.series = series
            super.init(series.output, scope: series.output.scope.makeChild())
        }

        override func receive(_ value: Value) -> EmitResult {
            output.emit(value)
        }

        override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
            await output.send(value)
        }

        override func complete(_ error: (any Error)?) {
            scope.cancel()
            if !output.isCancelled { series.proceed(error) }
        }
    }
}
