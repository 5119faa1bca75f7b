import HostLoop

/// A sequence of values that a source pushes to a subscriber. Effects and streams of states use it.
///
/// A flow is a value and it is cold: each subscription starts its own source. A flow is synchronous if its
/// source is: an effect that returns `.just(event)` emits during its call. A flow ends when it completes,
/// with or without a failure, or when its subscription is cancelled. A flow buffers nothing, unless an
/// operator says so.
public struct Flow<Value: Sendable>: Sendable {
    @usableFromInline
    enum Source: Sendable {
        case values([Value])
        case one(Value)
        case pushed(@Sendable (FlowSink<Value>) -> Void)
    }

    @usableFromInline let source: Source

    @inlinable
    init(source: Source) {
        self.source = source
    }

    /// Makes a flow from the function that starts its source.
    /// - Parameter start: Called once per subscription, on the thread that subscribes.
    public init(_ start: @escaping @Sendable (FlowSink<Value>) -> Void) {
        source = .pushed(start)
    }

    /// A flow without values that completes at once.
    @inlinable
    public static var none: Flow { Flow(source: .values([])) }

    /// A flow that never emits and never completes.
    public static var never: Flow { Flow { _ in } }

    /// A flow that emits one value synchronously and completes.
    @inlinable
    public static func just(_ value: Value) -> Flow {
        Flow(source: .one(value))
    }

    /// A flow that emits these values synchronously, in order, and completes.
    @inlinable
    public static func of(_ values: Value...) -> Flow {
        Flow(source: .values(values))
    }

    /// A flow that emits the values of a sequence synchronously, in order, and completes.
    public static func from(_ values: some Sequence<Value>) -> Flow {
        Flow(source: .values(Array(values)))
    }

    /// A flow that fails at once.
    public static func fail(_ error: any Error) -> Flow {
        Flow { $0.fail(error) }
    }

    /// A flow that `make` makes for each subscription. An error that `make` throws fails the flow.
    public static func deferred(_ make: @escaping @Sendable () throws -> Flow) -> Flow {
        Flow { sink in
            do { try make().start(sink) } catch { sink.fail(error) }
        }
    }

    /// A flow whose values an asynchronous function sends: `.run { send in await send(value) }`.
    ///
    /// The flow completes when `body` returns and fails when it throws. All of `body` runs in its own task on
    /// Swift's cooperative pool, so it never blocks the thread of the loop. A synchronous flow needs another
    /// source.
    ///
    /// The cancellation of the subscription cancels the task, so that the task and its child tasks can end
    /// early (structured cancellation). The run of an effect lasts until `body` has returned.
    /// - Parameters:
    ///   - priority: The priority of the task.
    ///   - body: Gets the sink. It must send one value at a time.
    public static func run(
        priority: TaskPriority? = nil, _ body: @escaping @Sendable (FlowSink<Value>) async throws -> Void
    ) -> Flow {
        Flow { sink in
            let life = sink.scope.life
            guard life.beginTask() else { return }
            let task = Task(priority: priority) {
                var failure: (any Error)?
                do { try await body(sink) } catch { failure = error }
                life.endTask()
                sink.end(failure)
            }
            sink.onCancel { task.cancel() }
        }
    }

    /// A flow of the elements of an asynchronous sequence. It requests the next element when the end of
    /// the flow has accepted the previous one.
    public static func from<Elements: AsyncSequence & Sendable>(_ elements: Elements) -> Flow
    where Elements.Element == Value {
        run { sink in
            for try await element in elements {
                switch await sink.send(element) {
                case .queued, .full: continue
                case .cancelled, .stopped: return
                }
            }
        }
    }

    /// Whether the flow is known to have no values.
    package var isNone: Bool {
        guard case .values(let values) = source else { return false }
        return values.isEmpty
    }

    /// Starts the source for a subscriber, unless the subscription is cancelled.
    package func start(_ sink: FlowSink<Value>) {
        if sink.isCancelled { return }
        switch source {
        case .one(let value):
            sink.emit(value)
            sink.finish()
        case .values(let values):
            for value in values {
                if sink.isCancelled { return }
                sink.emit(value)
            }
            sink.finish()
        case .pushed(let start): start(sink)
        }
    }
}
