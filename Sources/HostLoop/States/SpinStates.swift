/// The states of a spin: each iteration starts its own loop and receives every state, the initial one first.
///
/// The iterator owns the loop. The loop stops when the iterator is released or the iterating task is
/// cancelled. The iteration ends when the loop stops. Only the loop's feedbacks can emit its events. The loop
/// does not wait for a reader: the iterator buffers every state without bound until it is read.
public struct SpinStates<State: Sendable, Event: Sendable>: AsyncSequence, Sendable {
    /// A state of the loop.
    public typealias Element = State
    /// An iteration never fails.
    public typealias Failure = Never

    let spin: Spin<State, Event>

    /// Starts a loop.
    public func makeAsyncIterator() -> Iterator {
        Iterator(spin)
    }

    /// An iterator that owns one loop.
    public struct Iterator: AsyncIteratorProtocol {
        private var states: AsyncStream<State>.Iterator
        private var loop: Loop<State, Event>?

        init(_ spin: Spin<State, Event>) {
            let (stream, continuation) = AsyncStream.makeStream(of: State.self)
            states = stream.makeAsyncIterator()
            let core = LoopCore(plan: spin.plan, observers: [])
            continuation.onTermination = { [weak core] _ in core?.stop(.released) }
            core.attach(StateSink(continuation))
            loop = Loop(core: core)
            core.wake()
        }

        /// Waits for the next state, first the initial one. Returns nil when the loop has stopped or the task
        /// is cancelled.
        public mutating func next() async -> State? {
            await next(isolation: #isolation)
        }

        /// Waits for the next state, first the initial one. Returns nil when the loop has stopped or the task
        /// is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
            let state = await states.next(isolation: actor)
            if state == nil { loop = nil }
            return state
        }
    }
}

extension Spin {
    /// The states of a loop; each iteration starts and owns its own loop.
    public var states: SpinStates<State, Event> { SpinStates(spin: self) }
}
