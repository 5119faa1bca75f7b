/// Takes a scheduled action back.
public struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// Makes a cancellation that calls `body`, which must bear more than one call.
    public init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Takes the action back if it has not begun. Later and repeated calls do nothing. Any thread may call
    /// this.
    public func cancel() {
        body()
    }
}
