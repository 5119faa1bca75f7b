/// What fills a stream of states: a class, so that it can be found again.
@usableFromInline
final class StateSink<State: Sendable>: Sendable {
    let continuation: AsyncStream<State>.Continuation

    init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }
}
