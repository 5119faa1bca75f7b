extension Loop {
    /// The states of this loop from now on: the current one, then each new one, equal to the one before or
    /// not.
    ///
    /// The first is none older than the state at the time of the call; what is buffered of the later ones
    /// does not depend on when they are read. The stream does not keep the loop running. It finishes when the
    /// loop stops, and is let go of when the reading task is cancelled or nobody holds it any more. Of a loop
    /// that has stopped it has the last state. Each call makes a stream of its own, to be read by one task.
    /// - Parameter buffering: What is kept for a slow reader.
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
