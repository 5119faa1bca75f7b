/// How a flow has ended by itself.
public enum FlowCompletion: Sendable {
    /// Without a failure.
    case finished
    /// With this failure.
    case failure(any Error)

    init(_ error: (any Error)?) {
        self = error.map { .failure($0) } ?? .finished
    }
}
