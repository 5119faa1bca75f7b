/// The way in which a flow has completed: with or without a failure.
public enum FlowCompletion: Sendable {
    /// The flow completed without a failure.
    case finished
    /// The flow failed with this error.
    case failure(any Error)

    init(_ error: (any Error)?) {
        self = error.map { .failure($0) } ?? .finished
    }
}
