/// A subscriber of a loop's states. It is a class, so that the loop can find it again.
@usableFromInline
final class StateSink<State: Sendable>: Sendable {
    /// Called by the draining thread with each state, in order.
    let receive: @Sendable (State) -> Void
    /// Called once, when the loop has stopped.
    let finish: @Sendable () -> Void

    init(receive: @escaping @Sendable (State) -> Void, finish: @escaping @Sendable () -> Void) {
        self.receive = receive
        self.finish = finish
    }

    convenience init(_ continuation: AsyncStream<State>.Continuation) {
        self.init(receive: { continuation.yield($0) }, finish: { continuation.finish() })
    }
}
