import HostLoop

/// The observer of a test's loop: keeps the log and wakes who waits for it.
final class TestRecord<State: Sendable, Event: Sendable>: LoopObserver {
    typealias Log = TestLog<State, Event>

    private struct Waiter: Sendable {
        var number: UInt64
        /// Never the user's code: it is called with the lock held.
        var isMet: @Sendable (Log) -> Bool
        var resume: @Sendable () -> Void
        /// Gives up at the time limit.
        var timer: Cancellation?
    }

    private struct Book: Sendable {
        var log = Log()
        var waiters: [Waiter] = []
        var issued: UInt64 = 0
    }

    private let book = Lock(Book())

    var log: Log { book.withLock { $0.log } }

    // MARK: - What the test takes

    /// Takes out the first `count` entries.
    func take(_ count: Int) {
        let taken = book.withLock { book in
            defer { book.log.entries.removeFirst(count) }
            return book.log.entries.prefix(count)
        }
        withExtendedLifetime(taken) {}
    }

    /// Takes out the fault at `index`.
    func takeFault(_ index: Int) {
        let taken = book.withLock { $0.log.faults.remove(at: index) }
        withExtendedLifetime(taken) {}
    }

    /// The runs that go on now need not end.
    func excuseRunning() {
        book.withLock { $0.log.excused.formUnion($0.log.running.map(\.run)) }
    }

    /// Calls `resume` once: when the log is as `isMet` wants it, at once if it is, or at the time limit.
    func whenMet(
        _ isMet: @escaping @Sendable (Log) -> Bool, limit: TimeLimit, _ resume: @escaping @Sendable () -> Void
    ) {
        let number = book.withLock { book -> UInt64? in
            guard !isMet(book.log) else { return nil }
            book.issued += 1
            book.waiters.append(Waiter(number: book.issued, isMet: isMet, resume: resume))
            return book.issued
        }
        guard let number else { return resume() }
        let timer = limit.clock.schedule(at: limit.clock.now.advanced(by: limit.duration)) { [weak self] in
            self?.giveUp(number)
        }
        let waits = book.withLock { book in
            guard let index = book.waiters.firstIndex(where: { $0.number == number }) else { return false }
            book.waiters[index].timer = timer
            return true
        }
        if !waits { timer.cancel() }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = book.withLock { book in
            book.waiters.firstIndex { $0.number == number }.map { book.waiters.remove(at: $0) }
        }
        waiter?.resume()
    }

    // MARK: - What the loop tells

    func stepped(_ step: LoopStep<State, Event>) { note { $0.entries.append(.step(step)) } }

    func unhandled(_ event: Event, from origin: EventOrigin) {
        note { $0.entries.append(.unhandled(event, origin)) }
    }

    func effectStarted(_ run: EffectRun, by event: Event?) {
        note { $0.running.append(Log.Running(run: run, cause: event)) }
    }

    func effectEnded(_ run: EffectRun) { end(run) }

    func effectCancelled(_ run: EffectRun) { end(run) }

    func faulted(_ fault: LoopFault) {
        note { log in
            if fault.source == .reducer {
                log.entries.append(.failed(fault))
            } else {
                log.faults.append(fault)
            }
        }
    }

    func quiescent() { note(isQuiescent: true) { _ in } }

    func stopped(_ reason: StopReason) { note { $0.stopped = reason } }

    private func end(_ run: EffectRun) {
        note { log in
            guard let index = log.running.firstIndex(where: { $0.run == run }) else { return }
            log.running.remove(at: index)
        }
    }

    private func note(isQuiescent: Bool = false, _ change: (inout Log) -> Void) {
        let met = book.withLock { book in
            book.log.isQuiescent = isQuiescent
            change(&book.log)
            let log = book.log
            let met = book.waiters.filter { $0.isMet(log) }
            book.waiters.removeAll { waiter in met.contains { $0.number == waiter.number } }
            return met
        }
        for waiter in met {
            waiter.timer?.cancel()
            waiter.resume()
        }
    }
}
