import Dispatch
public import HostLoop

/// The latest time that something is waited for, and the one way to wait at most so long. What a plugin's function
/// does may never return: then the caller continues, and hears of it later if it does.
public struct Deadline: Sendable {
    private let end: DispatchTime

    /// A deadline so long from now; at once for a negative time.
    public init(after limit: Duration) { end = .now() + max(limit, .zero) / .seconds(1) }

    private init(end: DispatchTime) { self.end = end }

    /// The same, so much later: for time that others take.
    public func postponed(by time: Duration) -> Deadline { Deadline(end: end + time / .seconds(1)) }

    /// The same with a part of the time that is left now: 1 is all of it.
    public func part(_ part: Double) -> Deadline {
        let now = DispatchTime.now()
        let left = end > now ? Double(end.uptimeNanoseconds - now.uptimeNanoseconds) : 0
        return Deadline(end: now + .nanoseconds(Int(left * part)))
    }

    /// Blocks this thread until the answer has come, or the deadline.
    ///
    /// - Parameters:
    ///   - late: called with an answer that comes after the deadline, on the thread that brings it.
    ///   - begin: begins the work; what it is given takes the answer, once, on any thread.
    /// - Returns: the answer; nil after the deadline.
    public func wait<Answer: Sendable>(
        late: @escaping @Sendable (Answer) -> Void = { _ in },
        for begin: (_ answer: @escaping @Sendable (Answer) -> Void) -> Void
    ) -> Answer? {
        let (race, came) = (Race<Answer>(), DispatchSemaphore(value: 0))
        begin { answer in if race.answers(answer) { came.signal() } else { late(answer) } }
        _ = came.wait(timeout: end)
        return race.closes()
    }

    /// Calls `body` on a thread of its own, and blocks this one until it has returned, or the deadline. Where the system has no
    /// thread to spare, it is called on this one.
    ///
    /// - Parameter late: called on the other thread when `body` returns after the deadline.
    /// - Returns: what `body` returned; nil after the deadline.
    public func run<Answer: Sendable>(
        late: @escaping @Sendable (Answer) -> Void = { _ in }, _ body: @escaping @Sendable () -> Answer
    ) -> Answer? {
        wait(late: late) { answer in
            let work = { @Sendable in answer(body()) }
            if !HostThread.start(work) { work() }
        }
    }

    /// Blocks this thread until all pieces of work are done, or the deadline.
    ///
    /// - Parameter begin: begins one; what it is given is called once it is done, on any thread.
    /// - Returns: those that are not done, in their order.
    public func waitForAll<Work>(
        _ work: [Work], _ begin: (Work, _ done: @escaping @Sendable () -> Void) -> Void
    ) -> [Work] {
        let open = Lock(Set(work.indices))
        _ = wait { (answer: @escaping @Sendable (Bool) -> Void) in
            if work.isEmpty { answer(true) }
            for index in work.indices {
                begin(work[index]) {
                    let isLast = open.withLock { open in
                        open.remove(index)
                        return open.isEmpty
                    }
                    if isLast { answer(true) }
                }
            }
        }
        return open.withLock { $0 }.sorted().map { work[$0] }
    }

    /// Begins work, and calls `done` once: when the work says that it is done, or when so much time of a clock has
    /// passed. Does not block.
    public static func call(
        _ done: @escaping @Sendable () -> Void, after limit: Duration, of clock: any LoopClock,
        orWhenDone begin: (_ ended: @escaping @Sendable () -> Void) -> Void
    ) {
        let race = Race<Void>()
        let timer = clock.schedule(at: clock.now.advanced(by: limit)) { if race.answers(()) { done() } }
        begin {
            timer.cancel()
            if race.answers(()) { done() }
        }
    }

    /// Who is first.
    private final class Race<Answer: Sendable>: Sendable {
        private enum State {
            case open
            case answered(Answer)
            case closed
        }

        private let state = Lock(State.open)

        /// Whether this answer is in time, and the first.
        func answers(_ answer: Answer) -> Bool {
            state.withLock { state in
                guard case .open = state else { return false }
                state = .answered(answer)
                return true
            }
        }

        /// Takes no answer any more.
        ///
        /// - Returns: the one that came in time.
        func closes() -> Answer? {
            state.withLock { state in
                defer { state = .closed }
                if case .answered(let answer) = state { return answer }
                return nil
            }
        }
    }
}
