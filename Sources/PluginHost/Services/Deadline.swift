import Dispatch
public import HostLoop

/// A point in time, and the host's only way to wait until then at most. A plugin's function may never return.
/// The caller continues at the deadline, and is called back if the function returns later.
public struct Deadline: Sendable {
    private let end: DispatchTime

    /// A deadline after `limit` from now; now for a negative limit.
    public init(after limit: Duration) { end = .now() + max(limit, .zero) / .seconds(1) }

    private init(end: DispatchTime) { self.end = end }

    /// A later deadline, for time that others have taken.
    public func postponed(by time: Duration) -> Deadline { Deadline(end: end + time / .seconds(1)) }

    /// An earlier deadline, after a part of the time that is left now.
    ///
    /// - Parameter part: from 0 to 1; 1 is all of it.
    public func part(_ part: Double) -> Deadline {
        let now = DispatchTime.now()
        let left = end > now ? Double(end.uptimeNanoseconds - now.uptimeNanoseconds) : 0
        return Deadline(end: now + .nanoseconds(Int(left * part)))
    }

    /// Blocks this thread until the answer comes, at most until the deadline.
    ///
    /// - Parameters:
    ///   - late: called with an answer that comes after the deadline, on the thread that gives it.
    ///   - begin: begins the work. It must call `answer` once, on any thread.
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

    /// Calls `body` on another thread, and blocks this one until it returns, at most until the deadline. If
    /// the system has no thread left, it calls `body` on this one, without a limit.
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

    /// Blocks this thread until all pieces of work are done, at most until the deadline.
    ///
    /// - Parameter begin: begins one piece. It must call `done` once when the piece is done, on any thread.
    /// - Returns: the pieces that are not done, in order.
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

    /// Begins work, and calls `done` once: when the work is done, or when `limit` has passed on the clock.
    /// Does not block.
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

    /// Decides whether the answer or the deadline comes first.
    private final class Race<Answer: Sendable>: Sendable {
        private enum State {
            case open
            case answered(Answer)
            case closed
        }

        private let state = Lock(State.open)

        /// Takes an answer, and returns whether it is the first, and in time.
        func answers(_ answer: Answer) -> Bool {
            state.withLock { state in
                guard case .open = state else { return false }
                state = .answered(answer)
                return true
            }
        }

        /// Refuses later answers.
        ///
        /// - Returns: the answer that came in time; nil if none did.
        func closes() -> Answer? {
            state.withLock { state in
                defer { state = .closed }
                if case .answered(let answer) = state { return answer }
                return nil
            }
        }
    }
}
