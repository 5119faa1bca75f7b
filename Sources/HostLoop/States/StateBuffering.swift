/// How many states a stream keeps for a reader that is slower than the loop.
public enum StateBuffering: Sendable, Hashable {
    /// All of them: none is lost, and memory grows with what the reader is behind.
    case unbounded
    /// The last so many; an older one is lost when a new one comes. With one, the reader always gets the
    /// latest.
    case newest(Int)
    /// The first so many; a new one is lost while they are not read.
    case oldest(Int)

    func policy<State>(of _: State.Type) -> AsyncStream<State>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        }
    }
}
