import HostLoop

/// A sequence of values that its source pushes: what effects, streams of states and transforms speak.
///
/// A flow is a value and cold: each subscription starts its source anew. It is synchronous where its source
/// is, so that an effect which answers `.just(event)` emits within its call. It ends by itself, with or
/// without a failure, or when its subscription is cancelled. A flow buffers nothing, except where its
/// operators say so.
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

    /// Makes a flow from the function that starts its source; called once per subscription, where that
    /// happens.
    public init(_ start: @escaping @Sendable (FlowSink<Value>) -> Void) {
        source = .pushed(start)
    }

    /// A flow without values, which completes at once.
    @inlinable
    public static var none: Flow { Flow(source: .values([])) }

    /// A flow that never emits and never completes.
    public static var never: Flow { Flow { _ in } }

    /// A flow of one value, synchronously.
    @inlinable
    public static func just(_ value: Value) -> Flow {
        Flow(source: .one(value))
    }

    /// A flow of these values, synchronously and in order.
    @inlinable
    public static func of(_ values: Value...) -> Flow {
        Flow(source: .values(values))
    }

    /// A flow of the values of a sequence, synchronously and in order.
    public static func from(_ values: some Sequence<Value>) -> Flow {
        Flow(source: .values(Array(values)))
    }

    /// A flow that fails at once.
    public static func fail(_ error: any Error) -> Flow {
        Flow { $0.fail(error) }
    }

    /// A flow made when it is subscribed to.
    public static func deferred(_ make: @escaping @Sendable () throws -> Flow) -> Flow {
        Flow { sink in
            do { try make().start(sink) } catch { sink.fail(error) }
        }
    }

    /// A flow whose values an asynchronous function sends: `.run { send in await send(value) }`.
    ///
    /// It completes when `body` returns, fails when it throws. The function runs in a task of its own on
    /// Swift's cooperative pool, from its beginning, so that it never takes the thread of the loop; a flow
    /// that should be synchronous is made of another source. The task is cancelled with the subscription: so
    /// it, and what it awaits, can end early (structured cancellation). The run of an effect lasts until the
    /// function has returned.
    /// - Parameters:
    ///   - priority: Of the task.
    ///   - body: Gets the sink to send through; one call at a time.
    public static func run(
        priority: TaskPriority? = nil, _ body: @escaping @Sendable (FlowSink<Value>) async throws -> Void
    ) -> Flow {
        Flow { sink in
            let life = sink.scope.life
            guard life.enter() else { return }
            let task = Task(priority: priority) {
                var failure: (any Error)?
                do { try await body(sink) } catch { failure = error }
                life.leave()
                sink.end(failure)
            }
            sink.onCancel { task.cancel() }
        }
    }

    /// A flow of the elements of an asynchronous sequence, each taken once there is room for it at the end of
    /// the flow.
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

    /// Starts the source, unless the subscription is cancelled.
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
