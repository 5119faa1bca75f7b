/// The states that a stream keeps for a reader that is slower than the loop.
public enum StateBuffering: Sendable, Hashable {
    /// Keeps all states. None is lost, and the memory grows with the number of unread states.
    case unbounded
    /// Keeps this many newest states; a new state replaces the oldest one. With one, the reader always gets
    /// the newest state.
    case newest(Int)
    /// Keeps this many oldest states; a new state is lost while the buffer is full.
    case oldest(Int)

    func policy<State>(of _: State.Type) -> AsyncStream<State>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        }
    }
}
