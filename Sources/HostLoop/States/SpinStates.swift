/// The states of a spin: each iteration starts a loop of its own and sees every state from the initial one.
///
/// The iterator owns the loop, which stops when the iterator is dropped or the iterating task is cancelled;
/// the iteration ends when the loop stops by itself. Nobody else can emit into it: its events come from its
/// feedbacks. The loop does not wait for a reader: every state is kept until it is read.
public struct SpinStates<State: Sendable, Event: Sendable>: AsyncSequence, Sendable {
    /// A state of the loop.
    public typealias Element = State
    /// An iteration does not fail.
    public typealias Failure = Never

    let spin: Spin<State, Event>

    /// Starts a loop.
    public func makeAsyncIterator() -> Iterator {
        Iterator(spin)
    }

    /// The owner of one loop.
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

        /// The next state, first the initial one; nil when the loop has stopped, or the task is cancelled.
        public mutating func next() async -> State? {
            await next(isolation: #isolation)
        }

        /// The next state, first the initial one; nil when the loop has stopped, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
            let state = await states.next(isolation: actor)
            if state == nil { loop = nil }
            return state
        }
    }
}

extension Spin {
    /// The states of a loop that each iteration starts and owns.
    public var states: SpinStates<State, Event> { SpinStates(spin: self) }
}
