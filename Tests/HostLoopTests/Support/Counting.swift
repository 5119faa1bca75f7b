import HostLoop
import HostLoopTesting

/// The simplest loop: a number, and events that are added to it. Zero is not handled; negative sums fail.
enum Counting {
    struct Failure: Error, Equatable {
        var text = "no"
    }

    static let reducer = Reducer<Int, Int> { (state: inout Int, event: Int) throws -> Bool in
        guard event != 0 else { return false }
        guard state + event >= 0 else { throw Failure() }
        state += event
        return true
    }

    static func spin(
        from initialState: Int = 0, executor: LoopExecutor = .caller,
        clock: any LoopClock = ManualClock(),
        mailbox: MailboxCapacity = .unbounded, until: (@Sendable (Int) throws -> Bool)? = nil,
        _ feedbacks: Feedback<Int, Int>...
    ) -> Spin<Int, Int> {
        Spin(
            initialState: initialState, reducer: reducer, feedbacks: feedbacks, until: until,
            mailbox: mailbox, executor: executor, clock: clock)
    }

    typealias Log = LoopLog<Int, Int>
}
