import HostLoop
import HostLoopFlow
import Synchronization

/// One of a reactor's streams on its way through the `transform` that the reactor may have overridden.
///
/// If it has not, values that come from several threads go straight to the end, on the thread that brings them
/// and beside those of others. The operators of a transform are given one value at a time, so there a value
/// that comes while another one is on its way follows that one.
final class TransformedStream<Value: Sendable>: Sendable {
    /// What is known of the way from the source to the end.
    private final class Path: Sendable {
        /// The source goes straight to the end.
        let isPlain = Atomic<Bool>(false)
        /// Somebody else has subscribed to the source.
        let isAccompanied = Atomic<Bool>(false)
    }

    private let gear: Gear<Value>
    private let end: FunctionSink<Value>
    private let accept: @Sendable (Value) -> Void
    private let path = Path()
    private let isOrdered: Bool

    /// - Parameters:
    ///   - first: given to who subscribes first, in a stream whose values come one at a time; nil: they come
    ///     from several threads.
    ///   - receive: the end of the stream.
    init(first: Value? = nil, receive: @escaping @Sendable (Value) -> Void) {
        gear = Gear(replaying: first == nil ? 0 : 1)
        end = FunctionSink(receiveValue: receive)
        accept = receive
        isOrdered = first != nil
        if let first { gear.propagate(event: first) }
    }

    deinit {
        end.cancel()
    }

    /// Whether what comes out is what went in.
    var isPlain: Bool { path.isPlain.load(ordering: .acquiring) }

    /// What is given to the transform.
    var source: Flow<Value> {
        Flow { [gear, end, path] sink in
            if sink === end {
                path.isPlain.store(true, ordering: .releasing)
            } else {
                path.isAccompanied.store(true, ordering: .releasing)
            }
            gear.flow.start(sink)
        }
    }

    /// Subscribes to what the transform made of `source`; called once.
    func connect(_ transformed: Flow<Value>) {
        transformed.start(end)
    }

    func push(_ value: Value) {
        let goesStraight = !isOrdered && isPlain && !path.isAccompanied.load(ordering: .acquiring)
        if goesStraight { accept(value) } else { gear.propagate(event: value) }
    }
}
