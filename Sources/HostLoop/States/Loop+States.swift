extension Loop {
    /// Makes a stream of the current state and each later state, even if a state equals the previous one.
    ///
    /// The first state is the state at the time of the call or a newer one. The stream buffers later states
    /// independently of when they are read. The stream does not keep the loop running, and finishes when the
    /// loop stops. The loop releases it when the reading task is cancelled or the stream is released. If the
    /// loop has stopped, the stream contains the last state. At most one task may read a stream; each call
    /// makes a new stream.
    /// - Parameter buffering: The states that the stream keeps for a slow reader.
    public func states(buffering: StateBuffering = .unbounded) -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: buffering.policy(of: State.self))
        let sink = StateSink(continuation)
        continuation.onTermination = { [weak core] _ in core?.detach(sink) }
        core.attach(sink)
        return stream
    }

    /// Calls `receive` with the current state and each later one, on the draining thread, until the loop stops; then
    /// `finish`. It does not keep the loop running.
    /// - Returns: the function that ends this, from any thread.
    package func follow(
        _ receive: @escaping @Sendable (State) -> Void, finish: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let sink = StateSink(receive: receive, finish: finish)
        core.attach(sink)
        return { [weak core] in core?.detach(sink) }
    }
}
