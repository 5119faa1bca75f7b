import HostLoop
import HostLoopTesting

/// Loops of `Counting` by key.
enum Keyed {
    typealias Loops = KeyedLoops<String, Int, Int>

    /// Loops that begin with the length of their key, and end at 100.
    static func loops(
        limit: Int = .max, keep: Duration = .zero, clock: ManualClock = ManualClock(),
        mailbox: MailboxCapacity = .unbounded, creates: @escaping @Sendable (Int) -> Bool = { _ in true },
        observers: @escaping @Sendable (String) -> [any LoopObserver<Int, Int>] = { _ in [] },
        _ feedbacks: Feedback<Int, Int>...
    ) -> Loops {
        Loops(
            startingFrom: \.count, limit: limit, keep: keep, creates: creates, observers: observers,
            spin: { _ in
                Spin(
                    initialState: -1, reducer: Counting.reducer, feedbacks: feedbacks, until: { $0 >= 100 },
                    mailbox: mailbox, executor: .caller, clock: clock)
            })
    }
}
