import HostLoop

/// What all parts of one subscription share: the clock, and the tasks that work for it.
///
/// A task that was cancelled may take its time; whoever subscribed can wait until none works any more.
final class FlowLife: Sendable {
    private struct Book: Sendable {
        var workers = 0
        var isClosed = false
        var whenIdle: (@Sendable () -> Void)?
        var ids: CancellationIDs?
    }

    let clock: any LoopClock
    /// Of the mailbox at the end of the flow.
    let capacity: MailboxCapacity
    /// Counts a value that was dropped because that mailbox was full.
    let countFull: @Sendable () -> Void
    private let idsOfLoop: (@Sendable () -> CancellationIDs)?
    private let book = Lock(Book())

    /// A subscription outside of loops.
    init(clock: any LoopClock) {
        self.clock = clock
        capacity = .unbounded
        countFull = {}
        idsOfLoop = nil
    }

    /// A subscription for a run.
    init<Event>(of effectRun: Run<Event>) {
        clock = effectRun.clock
        capacity = effectRun.capacity
        countFull = { effectRun.countFull() }
        idsOfLoop = { effectRun.cancellationIDs }
    }

    /// What can be cancelled by an id together with the subscription.
    var ids: CancellationIDs {
        if let idsOfLoop { return idsOfLoop() }
        return book.withLock { book in
            let ids = book.ids ?? CancellationIDs()
            book.ids = ids
            return ids
        }
    }

    /// A task begins to work for the subscription; false when it must not any more.
    func enter() -> Bool {
        book.withLock { book in
            guard !book.isClosed else { return false }
            book.workers += 1
            return true
        }
    }

    /// A task has done its work.
    func leave() {
        let whenIdle = book.withLock { book -> (@Sendable () -> Void)? in
            book.workers -= 1
            guard book.workers == 0 else { return nil }
            defer { book.whenIdle = nil }
            return book.whenIdle
        }
        whenIdle?()
    }

    /// Lets no task begin any more, and calls `whenIdle` when none works; repeating it does nothing.
    func close(whenIdle: @escaping @Sendable () -> Void) {
        let isIdle = book.withLock { book in
            guard !book.isClosed else { return false }
            book.isClosed = true
            if book.workers > 0 { book.whenIdle = whenIdle }
            return book.workers == 0
        }
        if isIdle { whenIdle() }
    }
}
