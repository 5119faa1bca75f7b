/// The means to take back something scheduled.
public struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// Makes a cancellation that does what `body` says; `body` must bear being called more than once.
    public init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Takes it back if it has not begun; harmless afterwards and when repeated. May be called from any
    /// thread.
    public func cancel() {
        body()
    }
}
