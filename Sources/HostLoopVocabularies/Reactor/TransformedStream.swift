import HostLoop
import HostLoopFlow
import Synchronization

/// One stream of a reactor, with the `transform` that the reactor may override.
///
/// Without an override, values from several threads go straight to the end, each on its own thread, in
/// parallel. With a transform, its operators get one value at a time: a value that comes during the delivery
/// of another one follows it.
final class TransformedStream<Value: Sendable>: Sendable {
    /// The way from the source to the end.
    private final class Path: Sendable {
        /// The source goes straight to the end.
        let isPlain = Atomic<Bool>(false)
        /// Another subscriber follows the source, too.
        let isAccompanied = Atomic<Bool>(false)
    }

    private let gear: Gear<Value>
    private let end: FunctionSink<Value>
    private let accept: @Sendable (Value) -> Void
    private let path = Path()
    private let isOrdered: Bool

    /// - Parameters:
    ///   - first: The first value of a stream whose values come one at a time. Nil means that they come from
    ///     several threads.
    ///   - receive: The end of the stream.
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

    /// Whether no transform changes the values.
    var isPlain: Bool { path.isPlain.load(ordering: .acquiring) }

    /// The flow that the transform gets.
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

    /// Subscribes to the result of the transform. Called once.
    func connect(_ transformed: Flow<Value>) {
        transformed.start(end)
    }

    func push(_ value: Value) {
        let goesStraight = !isOrdered && isPlain && !path.isAccompanied.load(ordering: .acquiring)
        if goesStraight { accept(value) } else { gear.propagate(event: value) }
    }
}
