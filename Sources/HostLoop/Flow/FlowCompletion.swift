/// How a flow has ended by itself.
public enum FlowCompletion: Sendable {
    case finished
    case failure(any Error)

    init(_ error: (any Error)?) {
        self = error.map { .failure($0) } ?? .finished
    }
}
