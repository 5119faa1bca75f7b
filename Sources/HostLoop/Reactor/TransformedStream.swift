import Synchronization

/// One of a reactor's streams on its way through the `transform` that the reactor may have overridden.
///
/// If it has not, values that come from several threads go straight to the end, on the thread that brings them
/// and beside those of others. The operators of a transform are given one value at a time, so there a value
/// that comes while another one is on its way follows that one.
final class TransformedStream<Value: Sendable>: Sendable {
    private let hub: FlowHub<Value>
    private let end: End
    private let isOrdered: Bool

    /// - Parameters:
    ///   - first: given to who subscribes first, in a stream whose values come one at a time; nil: they come
    ///     from several threads.
    ///   - receive: the end of the stream.
    init(first: Value? = nil, receive: @escaping @Sendable (Value) -> Void) {
        hub = FlowHub(latest: first, replaying: first != nil)
        end = End(receive)
        isOrdered = first != nil
    }

    deinit {
        end.scope.cancel()
    }

    /// Whether what comes out is what went in.
    var isPlain: Bool { end.isPlain.load(ordering: .acquiring) }

    /// What is given to the transform.
    var source: Flow<Value> {
        Flow { [hub, end] sink in
            if sink === end {
                end.isPlain.store(true, ordering: .releasing)
            } else {
                end.isAccompanied.store(true, ordering: .releasing)
            }
            hub.flow.start(sink)
        }
    }

    /// Subscribes to what the transform made of `source`; called once.
    func connect(_ transformed: Flow<Value>) {
        transformed.start(end)
    }

    func push(_ value: Value) {
        let goesStraight = !isOrdered && isPlain && !end.isAccompanied.load(ordering: .acquiring)
        if goesStraight { end.accept(value) } else { hub.push(value) }
    }

    // Safe because it adds immutable properties and atomics only.
    private final class End: FlowSink<Value>, @unchecked Sendable {
        let accept: @Sendable (Value) -> Void
        let isPlain = Atomic<Bool>(false)
        /// Somebody else has subscribed to the source.
        let isAccompanied = Atomic<Bool>(false)

        init(_ accept: @escaping @Sendable (Value) -> Void) {
            self.accept = accept
            super.init(scope: FlowScope(life: FlowLife(clock: ContinuousLoopClock())))
        }

        override func receive(_ value: Value) -> EmitResult {
            guard !scope.isCancelled else { return .cancelled }
            accept(value)
            return .queued
        }

        override func complete(_ error: (any Error)?) {}
    }
}
